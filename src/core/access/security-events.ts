/** Events of the security log (login.md#security-log): OWASP's vocabulary, in the form that Juju gives its records. */
import type { ControllerDoc } from '../controller/document.ts';
import { defined } from '../defined.ts';
import type { Entities } from '../kinds.ts';
import { cut } from '../limits.ts';
import type { UserDoc } from '../user/document.ts';

export interface SecurityEvent {
  /** Word of the vocabulary with its parameters: `user_created:admin,bob:login`. */
  readonly event: string;
  readonly level: 'INFO' | 'WARN' | 'CRITICAL';
  readonly description: string;
  /** Address that the request came from. */
  readonly remote?: string;
}

/**
 * The record of an event as a line of JSON. `at`: RFC 3339; `notLogged`: number of earlier events that were left out.
 */
export function securityRecord(
  { event, level, description, remote }: SecurityEvent,
  { at, notLogged }: { readonly at: string; readonly notLogged: number },
): string {
  return JSON.stringify({
    datetime: at.replace(/\.\d+Z$/, 'Z'),
    appid: 'juju.controller',
    event,
    level,
    description,
    ...defined({ remote, notLogged: notLogged || undefined }),
  });
}

/** A name as events show it: text that strangers sent must not look like another part of an event. */
function shownName(text: string): string {
  return plain(text).replaceAll(/[ :]/g, '?');
}

function plain(text: string): string {
  return cut({ max: 100 }, text.slice(0, 200).replaceAll(/[^\x20-\x7e]|,/g, '?'));
}

/** Name of the user that a tag of an author or a caller is for; other authors are named as they are. */
function nameOf(tag: string): string {
  return shownName(tag.replace(/^user-/, ''));
}

export function loginSucceeded(user: string, remote: string): SecurityEvent {
  const name = shownName(user);
  return {
    event: `authn_login_success:${name}`,
    level: 'INFO',
    description: `User ${name} logged in`,
    remote,
  };
}

export function loginFailed(tag: string, remote: string, reason: string): SecurityEvent {
  const name = nameOf(tag);
  return {
    event: `authn_login_fail:${name}`,
    level: 'WARN',
    description: `Login of ${name} failed: ${reason}`,
    remote,
  };
}

/** `what`: the method, or the request over HTTP, that the caller may not use. */
export function accessRefused(tag: string, what: string, remote: string): SecurityEvent {
  const name = nameOf(tag);
  const resource = plain(what);
  return {
    event: `authz_fail:${name},${resource}`,
    level: 'CRITICAL',
    description: `${name} was refused ${resource}`,
    remote,
  };
}

export function tokenCreated(user: string, what: string): SecurityEvent {
  const name = shownName(user);
  return {
    event: `authn_token_created:${name},${what}`,
    level: 'INFO',
    description: `A ${what} token was made for user ${name}`,
  };
}

export const systemStarted = systemEvent('startup', 'The controller has started');
export const systemStopped = systemEvent('shutdown', 'The controller is stopping');

function systemEvent(word: string, description: string): SecurityEvent {
  return { event: `sys_${word}:controller`, level: 'WARN', description };
}

type Change = {
  readonly [P in keyof Entities]: {
    readonly kind: P;
    readonly before: Entities[P] | undefined;
    readonly after: Entities[P] | undefined;
  };
}[keyof Entities];

/** The events of a change in the controller's space. `by`: the author, a tag or a worker's name. */
export function eventsOfChange(change: Change, by: string): SecurityEvent[] {
  const author = nameOf(by);
  if (change.kind === 'user') return change.after ? ofUser(change.before, change.after, author) : [];
  if (change.kind === 'external-user') {
    const { before, after } = change;
    return ofAccess((after ?? before)!.user, 'the controller', author, before?.access, after?.access);
  }
  if (change.kind === 'controller') return ofController(change.before, change.after, author);
  if (change.kind === 'access' || change.kind === 'cloud-access' || change.kind === 'offer-access') {
    const doc = change.after ?? change.before;
    const object = !doc
      ? ''
      : 'cloud' in doc
        ? `cloud ${doc.cloud}`
        : 'offer' in doc
          ? `offer ${doc.offer}`
          : `model ${doc.model}`;
    return ofAccess(doc?.user ?? '', object, author, change.before?.access, change.after?.access);
  }
  return [];
}

function ofAccess(
  user: string,
  object: string,
  author: string,
  before: string = '',
  after: string = '',
): SecurityEvent[] {
  if (before === after) return [];
  const [from, to] = [before || 'none', after || 'none'];
  return [
    {
      event: `authz_change:${shownName(user)},${from},${to}`,
      level: 'WARN',
      description: `${author} changed the access of user ${shownName(user)} to ${object} from ${from} to ${to}`,
    },
  ];
}

function ofUser(before: UserDoc | undefined, after: UserDoc, author: string): SecurityEvent[] {
  const name = shownName(after.name);
  const whole = (word: string, attribute: string): SecurityEvent => ({
    event: `user_${word}:${author},${name}:${attribute || 'none'}`,
    level: 'WARN',
    description: `${author} has ${word} user ${name} (${attribute || 'none'})`,
  });
  const token = tokenCreated(after.name, 'registration');
  const hasNewKey = after.registrationKey !== undefined && after.registrationKey !== before?.registrationKey;
  const ofKey = hasNewKey ? [token] : [];
  if (!before || before.removed) return after.removed ? [] : [whole('created', after.access), ...ofKey];
  if (after.removed) return [whole('deleted', before.access)];
  const events = [...ofAccess(after.name, 'the controller', author, before.access, after.access), ...ofKey];
  if (before.disabled !== after.disabled)
    events.push(whole('updated', after.disabled ? 'disabled' : 'enabled'));
  if (before.passwordSetAt !== after.passwordSetAt && after.passwordHash !== '')
    events.push({
      event: `authn_password_change:${name}`,
      level: 'INFO',
      description: `${author} has set the password of user ${name}`,
    });
  return events;
}

function ofController(
  before: ControllerDoc | undefined,
  after: ControllerDoc | undefined,
  author: string,
): SecurityEvent[] {
  const isAudited = ({ config }: ControllerDoc): boolean => config['auditing-enabled'] !== false;
  if (!before || !after || !isAudited(before) || isAudited(after)) return [];
  return [
    {
      event: `sys_monitor_disabled:${author},audit-log`,
      level: 'WARN',
      description: `${author} has disabled the audit log`,
    },
  ];
}
