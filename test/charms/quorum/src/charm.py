#!/usr/bin/env python3
"""Waits, event by event, until as many peers as are planned have joined."""
import ops
from ops import hookcmds


class Quorum(ops.CharmBase):
    def __init__(self, framework: ops.Framework):
        super().__init__(framework)
        for event in (self.on.start, self.on.members_relation_joined, self.on.members_relation_departed,
                      self.on.site_relation_created):
            framework.observe(event, self._on_any)
        framework.observe(self.on.collect_unit_status, self._on_collect_unit_status)

    def _on_any(self, _: ops.EventBase):
        self.unit.set_ports(ops.Port("tcp", 7000))

    def _on_collect_unit_status(self, event: ops.CollectStatusEvent):
        goal = hookcmds.goal_state()
        planned = self.app.planned_units()
        assert planned == sum(unit.status != "dying" for unit in goal.units.values()), goal
        members = self.model.get_relation("members")
        there = 1 + (len(members.units) if members else 0)
        expected = sorted(name for name in goal.relations.get("site", {}) if "/" in name)
        if there < planned:
            event.add_status(ops.WaitingStatus(f"{there} of {planned}"))
        event.add_status(ops.ActiveStatus(f"{there} of {planned}, expects {' '.join(expected) or 'nobody'}"))


if __name__ == "__main__":
    ops.main(Quorum)
