#!/usr/bin/env python3
"""The leader owns a secret of the application, each unit one of its own."""
import dataclasses
import datetime
import logging

import ops

log = logging.getLogger(__name__)
LABEL = "password"


@dataclasses.dataclass(frozen=True)
class Config:
    length: int = 8

    def __post_init__(self):
        if self.length < 4:
            raise ValueError("length is at least 4")


@dataclasses.dataclass(frozen=True)
class Change:
    word: str = "changed"


@dataclasses.dataclass
class Offer:
    secret: str = ""
    length: int = 0


class Keeper(ops.CharmBase):
    _stored = ops.StoredState()

    def __init__(self, framework: ops.Framework):
        super().__init__(framework)
        self._stored.set_default(events=[])
        on = self.on
        for event in (on.secret_remove, on.secret_expired, on.secret_rotate, on.secret_changed):
            framework.observe(event, self._remember)
        framework.observe(on.install, self._on_install)
        framework.observe(on.leader_elected, self._on_leader_elected)
        framework.observe(on.password_relation_created, self._on_offer)
        framework.observe(on.config_changed, self._on_config_changed)
        framework.observe(on.secret_changed, self._on_secret_changed)
        framework.observe(on.secret_remove, self._on_secret_remove)
        framework.observe(on.secret_expired, self._on_secret_expired)
        framework.observe(on.secret_rotate, self._on_secret_rotate)
        framework.observe(on["change"].action, self._on_change)
        framework.observe(on["expire"].action, self._on_expire)
        framework.observe(on["withdraw"].action, self._on_withdraw)
        framework.observe(on.collect_unit_status, self._on_collect_unit_status)

    def _remember(self, event: ops.SecretEvent):
        revision = getattr(event, "revision", "")
        self._stored.events.append(f"{event.handle.kind}:{event.secret.label}:{revision}")

    def _on_install(self, _):
        own = self.unit.add_secret({"token": self._token("of")}, label="own", rotate=ops.SecretRotate.HOURLY)
        assert own.get_info().rotation == ops.SecretRotate.HOURLY

    def _token(self, word):
        return f"{word}-{self.unit.name.replace('/', '-')}"

    def _on_leader_elected(self, _):
        try:
            self.model.get_secret(label=LABEL)
        except ops.SecretNotFoundError:
            self.app.add_secret(
                {"word": "first"}, label=LABEL, description="for readers", rotate=ops.SecretRotate.HOURLY
            )

    def _on_offer(self, event: ops.RelationEvent):
        if not self.unit.is_leader():
            return
        secret = self.model.get_secret(label=LABEL)
        secret.grant(event.relation)
        event.relation.save(Offer(secret.id, self.load_config(Config).length), self.app)

    def _on_config_changed(self, _):
        config = self.load_config(Config, errors="blocked")
        if not self.unit.is_leader():
            return
        for relation in self.model.relations["password"]:
            offer = relation.load(Offer, self.app)
            offer.length = config.length
            relation.save(offer, self.app)

    def _on_secret_changed(self, event: ops.SecretChangedEvent):
        # Owners that have read their secret track a revision like any other reader.
        event.secret.get_content(refresh=True)

    def _on_secret_remove(self, event: ops.SecretRemoveEvent):
        event.remove_revision()

    def _on_secret_expired(self, event: ops.SecretExpiredEvent):
        event.secret.set_content({"word": "renewed"})

    def _on_secret_rotate(self, event: ops.SecretRotateEvent):
        event.secret.set_content({"token": self._token("new")} if event.secret.label == "own" else {"word": "rotated"})

    def _on_change(self, event: ops.ActionEvent):
        change = event.load_params(Change)
        secret = self.model.get_secret(label=LABEL)
        secret.set_content({"word": change.word})
        event.set_results({"peeked": secret.peek_content()["word"], "revision": str(secret.get_info().revision)})

    def _on_expire(self, event: ops.ActionEvent):
        secret = self.model.get_secret(label=LABEL)
        secret.set_info(expire=datetime.timedelta(seconds=1))
        event.set_results({"id": secret.id})

    def _on_withdraw(self, _):
        secret = self.model.get_secret(label=LABEL)
        for relation in self.model.relations["password"]:
            secret.revoke(relation)

    def _on_collect_unit_status(self, event: ops.CollectStatusEvent):
        try:
            # Units that do not lead read the application's secret by its label, and are told of new contents by it.
            self.model.get_secret(label=LABEL).get_content()
        except ops.SecretNotFoundError:
            log.info("the leader has made no secret yet")
        # The content itself would be hidden in a status.
        own = self.model.get_secret(label="own").get_content()["token"].upper()
        event.add_status(ops.ActiveStatus(f"{own} {' '.join(self._stored.events)}".strip()))


if __name__ == "__main__":
    ops.main(Keeper)
