/** Differences that a refresh makes to an application, for `refresh --dry-run` (refresh.md#dry-run). */
import { formatBase } from '../base.ts';
import type { CharmDoc } from '../charm/document.ts';
import { endpointsOf, type ConfigOption, type ConfigValue, type Endpoint } from '../charm/metadata.ts';
import { defined } from '../defined.ts';
import type { ResourceDoc } from '../resource/document.ts';
import { formatDirective } from '../storage/directive.ts';
import type { StorageWish } from '../storage/check-storage.ts';
import { allBindings } from './bindings.ts';
import type { ApplicationDoc } from './document.ts';

/** An application with its charm, before a refresh or after it. */
export interface RefreshedState {
  readonly application: Pick<ApplicationDoc, 'base' | 'config' | 'endpointBindings' | 'storage' | 'trust'>;
  readonly charm: Pick<CharmDoc, 'url' | 'meta' | 'config' | 'actions' | 'lxdProfile'>;
  readonly resources: Iterable<Pick<ResourceDoc, 'name' | 'fingerprint' | 'size'>>;
}

/**
 * Parts of a refresh, in the order in which they are told. `config`: a value that was set; `option`: what the charm
 * declares, its type and its default.
 */
export const changedParts = [
  'charm',
  'base',
  'trust',
  'config',
  'option',
  'endpoint',
  'binding',
  'storage',
  'resource',
  'action',
  'lxd-profile',
] as const;

type ChangedPart = (typeof changedParts)[number];

/** One difference, as text: `from` is absent for what is new, `to` for what goes. */
export interface RefreshChange {
  readonly part: ChangedPart;
  /** The name of what changes; '' for a part that an application has only one of, such as its base. */
  readonly name: string;
  readonly from?: string;
  readonly to?: string;
  /** The reason for the difference, where the user did not ask for it. */
  readonly note?: string;
}

/** The differences by part, each part by name. */
export function refreshChanges(before: RefreshedState, after: RefreshedState): RefreshChange[] {
  const [was, is] = [textsOf(before), textsOf(after)];
  return changedParts.flatMap((part) => {
    const names = new Set([...Object.keys(was[part]), ...Object.keys(is[part])]);
    return [...names].sort().flatMap((name): RefreshChange[] => {
      const [from, to] = [own(was[part], name), own(is[part], name)];
      // A binding of an endpoint that comes or goes says nothing more than the endpoint.
      if (from === to || (part === 'binding' && (from === undefined || to === undefined))) return [];
      const note = part === 'config' && to === undefined ? whyDropped(name, after.charm.config) : undefined;
      return [{ part, name, ...defined({ from, to, note }) }];
    });
  });
}

type Texts = Readonly<Record<string, string>>;

function textsOf({ application, charm, resources }: RefreshedState): Readonly<Record<ChangedPart, Texts>> {
  const { meta, lxdProfile } = charm;
  const contents = new Map([...resources].map((doc) => [doc.name, doc]));
  return {
    charm: { '': charm.url },
    base: { '': formatBase(application.base) },
    trust: { '': String(application.trust) },
    config: mapTexts(application.config, showValue),
    option: mapTexts(charm.config, showOption),
    endpoint: {
      ...mapTexts(endpointsOf(meta), showEndpoint),
      ...Object.fromEntries(meta.extraBindings.map((name) => [name, 'extra binding'])),
    },
    binding: allBindings(application.endpointBindings, meta),
    storage: mapTexts(application.storage ?? {}, (wish: StorageWish) => formatDirective(wish)),
    resource: mapTexts(meta.resources, (_, name) => showContent(contents.get(name))),
    action: mapTexts(charm.actions, () => 'declared'),
    'lxd-profile': lxdProfile ? { '': JSON.stringify(lxdProfile) } : {},
  };
}

function mapTexts<T>(values: Readonly<Record<string, T>>, text: (value: T, name: string) => string): Texts {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value, name)]));
}

function own(texts: Texts, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

function showValue(value: ConfigValue): string {
  return JSON.stringify(value);
}

function showOption({ type, default: value }: ConfigOption): string {
  return value === undefined ? type : `${type} ${showValue(value)}`;
}

const verbs = { provider: 'provides', requirer: 'requires', peer: 'peers' } as const;

function showEndpoint({ role, interface: name, scope, limit }: Endpoint): string {
  const where = scope === 'container' ? ' in the same container' : '';
  return `${verbs[role]} ${name}${where}${limit > 0 ? `, at most ${limit}` : ''}`;
}

function showContent(doc: Pick<ResourceDoc, 'fingerprint' | 'size'> | undefined): string {
  return doc?.fingerprint ? `${doc.size} bytes, SHA-384 ${doc.fingerprint.slice(0, 12)}` : 'no content';
}

/** Why a value that was set is forgotten (refresh.md#kept-config). */
function whyDropped(name: string, options: Readonly<Record<string, ConfigOption>>): string {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) return 'the charm has no such option';
  const holds = option.default === undefined ? 'is not set' : `has its default ${showValue(option.default)}`;
  return `not a value of type ${option.type}: the option ${holds}`;
}
