"""Those of python-libjuju's integration tests that are about offers: tests/integration/test_crossmodel.py."""
from juju.utils import block_until
from libjuju_world import CHARMS, NAME, a_controller, clean_model


async def offers_of(model):
    return [one.offer_name for one in (await model.list_offers()).results]


async def test_offer():
    async with clean_model() as model:
        await model.deploy(str(CHARMS["mysql"]), num_units=0)
        await model.create_offer("mysql:server")
        assert await offers_of(model) == ["mysql"], await offers_of(model)
        await model.remove_offer(f"admin/{model.name}.mysql", force=True)
        assert await offers_of(model) == [], await offers_of(model)


async def test_offer_and_consume():
    # Offers are consumed by their URL with and without the controller's name, with a controller that is passed,
    # and under an alias.
    async with clean_model() as offering, clean_model() as model, a_controller() as controller:
        await offering.deploy(str(CHARMS["mysql"]), num_units=0)
        await model.deploy(str(CHARMS["ghost"]), num_units=0)
        await offering.create_offer("mysql:server")
        url = f"admin/{offering.name}.mysql"
        assert await model.consume(url) == "mysql"
        assert await model.consume(f"{NAME}:{url}", application_alias="named") == "named"
        assert await model.consume(url, application_alias="passed", controller=controller) == "passed"
        consumed = {"mysql", "named", "passed"}
        await block_until(lambda: set(model.remote_applications) == consumed, timeout=60)
        await model.integrate("ghost:database", "mysql")
        await block_until(lambda: len(model.relations) == 1, timeout=60)
        for name in consumed:
            await model.remove_saas(name)
        await block_until(lambda: not model.remote_applications and not model.relations, timeout=60)
        await offering.remove_offer(url, force=True)
        assert await offers_of(offering) == [], await offers_of(offering)


async def test_integrate_with_offer():
    # The library consumes the offer of an address by itself.
    async with clean_model() as offering, clean_model() as model:
        await offering.deploy(str(CHARMS["mysql"]), num_units=0)
        await model.deploy(str(CHARMS["ghost"]), num_units=0)
        await offering.create_offer("mysql:server")
        await model.integrate("ghost:database", f"admin/{offering.name}.mysql")
        await block_until(lambda: len(model.relations) == 1, timeout=60)
        await model.remove_saas("mysql")
        await block_until(lambda: not model.relations, timeout=60)
