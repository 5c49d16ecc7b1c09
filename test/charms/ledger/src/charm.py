#!/usr/bin/env python3
"""Amounts in a file of the storage; the leader tells its peers the total."""
import json
import logging
import pathlib

import ops

log = logging.getLogger(__name__)


class AmountAdded(ops.EventBase):
    def __init__(self, handle: ops.Handle, amount: float):
        super().__init__(handle)
        self.amount = amount

    def snapshot(self):
        return {"amount": self.amount}

    def restore(self, snapshot):
        self.amount = snapshot["amount"]


class LedgerEvents(ops.ObjectEvents):
    amount_added = ops.EventSource(AmountAdded)


class Book(ops.Object):
    """The file; emits amount_added."""

    on = LedgerEvents()

    def __init__(self, charm: ops.CharmBase):
        super().__init__(charm, "book")
        self._model = charm.model

    @property
    def path(self):
        stores = self._model.storages["data"]
        return pathlib.Path(stores[0].location) / "book.json" if stores else None

    def amounts(self):
        return json.loads(self.path.read_text()) if self.path and self.path.exists() else []

    def add(self, amount: float):
        self.path.write_text(json.dumps([*self.amounts(), amount]))
        self.on.amount_added.emit(amount)


class Ledger(ops.CharmBase):
    _stored = ops.StoredState()

    def __init__(self, framework: ops.Framework):
        super().__init__(framework)
        self._stored.set_default(events=[], waiting=[], announced=0.0)
        self.book = Book(self)
        on = self.on
        for event in (on.install, on.start, on.data_storage_attached, on.data_storage_detaching, on.upgrade_charm,
                      on.config_changed, on.leader_elected, on.stop, on.remove):
            framework.observe(event, self._remember)
        framework.observe(self.book.on.amount_added, self._on_amount_added)
        framework.observe(on.ring_relation_changed, self._on_ring_changed)
        framework.observe(on.db_relation_changed, self._on_db)
        framework.observe(on.db_relation_joined, self._on_db)
        framework.observe(on["add"].action, self._on_add)
        framework.observe(on["total"].action, self._on_total)
        framework.observe(on.collect_unit_status, self._on_collect_unit_status)
        framework.observe(on.collect_app_status, self._on_collect_app_status)

    def _remember(self, event: ops.EventBase):
        self._stored.events.append(event.handle.kind)
        if isinstance(event, ops.StorageAttachedEvent):
            assert event.storage.full_id.startswith("data/"), event.storage.full_id
            assert str(event.storage.location) == "/srv/ledger", event.storage.location
        if isinstance(event, ops.StorageDetachingEvent):
            (self.book.path.parent / "detached").write_text(event.storage.full_id)
        if isinstance(event, ops.UpgradeCharmEvent):
            self.unit.set_workload_version((self.charm_dir / "version").read_text().strip())

    def _on_add(self, event: ops.ActionEvent):
        if event.params["amount"] <= 0:
            event.fail("an amount is above 0")
            return
        event.log(f"adding {event.params['amount']}")
        self.book.add(event.params["amount"])
        event.set_results({"entries": len(self.book.amounts()), "nested": {"sum": str(sum(self.book.amounts()))}})

    def _on_amount_added(self, event: AmountAdded):
        # Without a database there is no unit to tell: the event is emitted again with each later event.
        if not self.model.relations["db"]:
            event.defer()
            return
        self._stored.announced += event.amount
        for relation in self.model.relations["db"]:
            relation.data[self.unit]["announced"] = str(self._stored.announced)

    def _on_db(self, event: ops.RelationEvent):
        event.relation.data[self.unit]["database"] = f"{self.app.name}-{self.config['currency']}"
        if self.unit.is_leader():
            event.relation.data[self.app]["owner"] = self.unit.name
        self._tell_ring()

    def _on_ring_changed(self, _):
        self._tell_ring()

    def _tell_ring(self):
        ring = self.model.get_relation("ring")
        ring.data[self.unit]["entries"] = str(len(self.book.amounts()))
        if self.unit.is_leader():
            ring.data[self.app]["leader"] = self.unit.name

    def _rate(self):
        try:
            path = self.model.resources.fetch("rates")
        except (ops.ModelError, NameError) as e:
            log.info("no rates: %s", e)
            return None
        return json.loads(path.read_text() or "{}").get(self.config["currency"])

    def _on_total(self, event: ops.ActionEvent):
        rate = self._rate()
        event.set_results({
            "total": str(sum(self.book.amounts()) * (rate or 1)),
            "rate": str(rate),
            "events": " ".join(self._stored.events),
            "announced": str(self._stored.announced),
        })

    def _on_collect_unit_status(self, event: ops.CollectStatusEvent):
        event.add_status(ops.ActiveStatus(f"{len(self.book.amounts())} amounts in {self.config['currency']}"))
        if not self.book.path:
            event.add_status(ops.BlockedStatus("no storage"))
        if self._rate() is None:
            event.add_status(ops.WaitingStatus(f"no rate of {self.config['currency']}"))

    def _on_collect_app_status(self, event: ops.CollectStatusEvent):
        event.add_status(ops.ActiveStatus(f"{self.app.planned_units()} planned"))


if __name__ == "__main__":
    ops.main(Ledger)
