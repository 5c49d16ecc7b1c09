#!/usr/bin/env python3
"""Each event uses a part of ops. What fails raises, and puts the unit in error; what went well is in its databags."""
import ipaddress
import json
import logging
import subprocess

import ops

log = logging.getLogger(__name__)


class Probe(ops.CharmBase):
    _stored = ops.StoredState()

    def __init__(self, framework: ops.Framework):
        super().__init__(framework)
        self._stored.set_default(events=[], deferred=False, departed={})
        on = self.on
        for event in (
            on.install,
            on.start,
            on.config_changed,
            on.leader_elected,
            on.update_status,
            on.stop,
            on.remove,
            on.db_relation_created,
            on.db_relation_joined,
            on.db_relation_changed,
            on.db_relation_departed,
            on.db_relation_broken,
            on.ring_relation_joined,
            on.ring_relation_departed,
        ):
            framework.observe(event, self._remember)
        framework.observe(on.install, self._on_install)
        framework.observe(on.start, self._on_start)
        framework.observe(on.secret_remove, self._on_secret_remove)
        framework.observe(on.leader_elected, self._on_leader_elected)
        framework.observe(on.config_changed, self._on_config_changed)
        framework.observe(on.db_relation_joined, self._on_db_joined)
        framework.observe(on.db_relation_departed, self._on_db_departed)
        framework.observe(on.collect_unit_status, self._on_collect_unit_status)
        framework.observe(on.collect_app_status, self._on_collect_app_status)

    def _remember(self, event: ops.EventBase):
        self._stored.events.append(event.handle.kind)
        if not isinstance(event, (ops.StopEvent, ops.RemoveEvent)):
            self._tell(events=",".join(self._stored.events))

    def _tell(self, **values: str):
        self.model.get_relation("ring").data[self.unit].update(values)

    def _on_install(self, _):
        self.unit.status = ops.MaintenanceStatus("preparing")
        assert self.unit.status.name == "maintenance"
        assert (self.charm_dir / "metadata.yaml").is_file(), self.charm_dir
        self.unit.add_secret({"password": "sesame"}, label="password")
        assert self._password().get_content() == {"password": "sesame"}
        try:
            self.model.get_secret(label="none")
        except ops.SecretNotFoundError:
            pass
        else:
            raise AssertionError("a secret was found")

    def _password(self) -> ops.Secret:
        return self.model.get_secret(label="password")

    def _on_secret_remove(self, event: ops.SecretRemoveEvent):
        assert event.secret.label == "password", event.secret.label
        event.secret.remove_revision(event.revision)
        self._tell(removed=str(event.revision))

    def _on_start(self, event: ops.StartEvent):
        if not self._stored.deferred:
            # The revision that config-changed has made is read when it is asked for; the one before is then obsolete.
            assert self._password().get_content() == {"password": "sesame"}
            assert self._password().peek_content() == {"password": "open"}
            assert self._password().get_content(refresh=True) == {"password": "open"}
            self._stored.deferred = True
            event.defer()
            return
        self.unit.set_ports(8080, ops.Port("udp", 53), ops.Port("icmp", None))
        assert len(self.unit.opened_ports()) == 3, self.unit.opened_ports()
        self.unit.set_workload_version(ops.__version__)

    def _on_leader_elected(self, _):
        assert self.unit.is_leader()
        self.model.get_relation("ring").data[self.app]["leader"] = self.unit.name

    def _on_config_changed(self, _):
        config = self.config
        self._tell(config=json.dumps(dict(config), sort_keys=True))
        if self._password().get_info().revision == 1:
            self._password().set_content({"password": "open"})
        assert isinstance(config["workers"], int) and isinstance(config["ratio"], float)
        assert isinstance(config["debug"], bool)
        assert "domain" not in config or config["domain"]
        network = self.model.get_binding("db").network
        ipaddress.ip_address(str(network.bind_address))
        assert network.interfaces, "no interfaces"
        self._tell(address=str(network.bind_address), ingress=str(network.ingress_address))

    def _on_db_joined(self, event: ops.RelationJoinedEvent):
        mine = event.relation.data[self.unit]
        mine.update({"temporary": "x", "user": self.unit.name.replace("/", "-"), "text": "two\nlines: yes"})
        del mine["temporary"]
        assert "temporary" not in mine
        assert event.unit in event.relation.units
        if self.unit.is_leader():
            event.relation.data[self.app]["database"] = self.model.name

    def _on_db_departed(self, event: ops.RelationDepartedEvent):
        # As with Juju, the unit that departs is not in relation-list any more and its data is still readable. Before
        # ops knew to add it to `relation.data`, charms read it by the tool.
        assert event.unit not in event.relation.units
        # The departing unit may be this unit itself.
        assert event.departing_unit in (event.unit, self.unit), event.departing_unit
        if event.unit in event.relation.data:
            data = dict(event.relation.data[event.unit])
        else:
            command = ["relation-get", "--format=json", "-r", str(event.relation.id), "-", event.unit.name]
            data = json.loads(subprocess.check_output(command))
        assert dict(event.relation.data[event.app]) is not None
        self._tell(departed=json.dumps(data, sort_keys=True))

    def _on_collect_unit_status(self, event: ops.CollectStatusEvent):
        relation = self.model.get_relation("db")
        if relation is None or not relation.units:
            event.add_status(ops.BlockedStatus("needs db"))
            return
        unit = min(relation.units, key=lambda unit: unit.name)
        event.add_status(ops.ActiveStatus(f"{self.config['greeting']} from {relation.data[unit].get('name', '?')}"))

    def _on_collect_app_status(self, event: ops.CollectStatusEvent):
        assert self.app.status is not None
        event.add_status(ops.ActiveStatus(f"{self.app.planned_units()} planned"))


if __name__ == "__main__":
    ops.main(Probe)
