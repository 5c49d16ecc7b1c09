"""Tests as charm authors write them: the fixture is the plugin's."""

import pathlib

import jubilant

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def test_deploys(juju):
    juju.deploy(EXAMPLES / "kv", num_units=2)
    juju.deploy(EXAMPLES / "web")
    juju.integrate("web", "kv")
    status = juju.wait(jubilant.all_active, error=jubilant.any_error)
    assert set(status.apps) == {"kv", "web"}
    assert status.apps["web"].relations["db"][0].related_app == "kv"


def test_goes_on_in_the_same_model(juju):
    juju.config("kv", {"greeting": "Hello from pytest"})
    juju.wait(jubilant.all_agents_idle)
    assert juju.config("kv")["greeting"] == "Hello from pytest"
    assert juju.ssh("web/0", "id -un").strip() != ""


def test_has_files_of_its_own(juju, grigri_controller):
    shown = juju.cli("controllers", "--format", "json", include_model=False)
    assert '"test"' in shown
    assert (grigri_controller.dir / "client" / "controllers.yaml").exists()
