#!/usr/bin/env python3
"""Tracks a secret by a label, and takes a new revision when it hears of it."""
import logging

import ops

log = logging.getLogger(__name__)


class Reader(ops.CharmBase):
    def __init__(self, framework: ops.Framework):
        super().__init__(framework)
        on = self.on
        framework.observe(on.password_relation_changed, self._on_password)
        framework.observe(on.secret_changed, self._on_secret_changed)
        framework.observe(on.collect_unit_status, self._on_collect_unit_status)

    def _on_password(self, event: ops.RelationChangedEvent):
        uri = event.relation.data[event.app].get("secret", "").strip('"')
        if uri:
            self.model.get_secret(id=uri, label="theirs")

    def _on_secret_changed(self, event: ops.SecretChangedEvent):
        before = event.secret.get_content()
        after = event.secret.get_content(refresh=True)
        assert before != after, "heard of no change"
        log.info("%s has changed", event.secret.label or event.secret.id)

    def _word(self):
        try:
            # The content itself would be hidden in a status.
            return self.model.get_secret(label="theirs").get_content()["word"].upper()
        except ops.SecretNotFoundError:
            return None
        except ops.ModelError as e:
            return "denied" if "permission denied" in str(e) else str(e)

    def _on_collect_unit_status(self, event: ops.CollectStatusEvent):
        uri = self.config.get("api-key")
        word = self._word()
        if word is None:
            event.add_status(ops.WaitingStatus("for a password"))
        if uri is not None:
            try:
                key = self.model.get_secret(id=uri).get_content(refresh=True)["value"].upper()
            except ops.ModelError as e:
                event.add_status(ops.BlockedStatus(f"api-key: {'denied' if 'permission denied' in str(e) else e}"))
            else:
                event.add_status(ops.ActiveStatus(f"{word} {key}"))
        else:
            event.add_status(ops.ActiveStatus(word or ""))


if __name__ == "__main__":
    ops.main(Reader)
