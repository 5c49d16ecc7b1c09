import { expect, test } from 'vitest';
import { readYamlValue } from '../../kit/yaml/read.ts';
import type { Attribute } from '../contract/provider.ts';
import type { Kit } from './kit.ts';

/** Cases of the provider's description and its settings. */
export function configCases(kit: Kit): void {
  const openConfig = kit.subject.open?.config ?? {};

  test('settings get their defaults and types, and unknown ones are kept', () => {
    const { provider } = kit;
    const config = provider.validate(openConfig);
    for (const [name, attribute] of Object.entries(provider.config)) {
      if (!(name in openConfig)) expect(config[name]).toEqual(attribute.default);
      expect(attribute.description).toMatch(/./);
    }
    expect(provider.validate({ ...openConfig, 'not-mine': 'x' })).toEqual({ ...config, 'not-mine': 'x' });
    expect(provider.validate(config, config)).toEqual(config);
  });

  test('a wrong setting is refused, and a secret one is not quoted', () => {
    const { provider } = kit;
    for (const [name, { type, values, secret }] of Object.entries(provider.config)) {
      const wrong = { 'hush-hush': [1] };
      const attempts: unknown[] = [wrong];
      if (type === 'int' || type === 'bool' || values) attempts.push('hush-hush');
      for (const attempt of attempts) {
        const refusal = expect.objectContaining({
          code: 'not valid',
          message: expect.stringContaining(name) as string,
        }) as Error;
        expect(() => provider.validate({ ...openConfig, [name]: attempt })).toThrow(refusal);
        if (secret)
          expect(() => provider.validate({ ...openConfig, [name]: attempt })).not.toThrow(/hush-hush/);
      }
    }
  });

  test('immutable settings cannot be changed', () => {
    const { provider } = kit;
    const config = provider.validate(openConfig);
    for (const [name, attribute] of Object.entries(provider.config)) {
      if (!attribute.immutable) continue;
      const before = config[name] ?? another(attribute, undefined);
      const previous = { ...config, [name]: before };
      const refusal = expect.objectContaining({ code: 'not valid' }) as Error;
      expect(() => provider.validate({ ...config, [name]: another(attribute, before) }, previous)).toThrow(
        refusal,
      );
    }
  });

  test('prepared settings are valid', async () => {
    const { provider } = kit;
    const config = provider.validate(openConfig);
    for (const prepared of [
      await provider.prepareForBootstrap(config),
      await provider.prepareForModel(config),
    ]) {
      expect(prepared).toMatchObject(config);
      expect(provider.validate(prepared, prepared)).toMatchObject(config);
    }
  });

  test('the boilerplate is a valid cloud that names every setting', () => {
    const { provider } = kit;
    const text = provider.boilerplate();
    const { clouds } = readYamlValue(text) as { clouds: Readonly<Record<string, BoilerplateCloud>> };
    const all = Object.values(clouds);
    expect(all).not.toEqual([]);
    for (const cloud of all) {
      expect(cloud.type).toBe(provider.type);
      expect(Object.keys(provider.authTypes)).toEqual(expect.arrayContaining([...cloud['auth-types']]));
      expect(() => provider.validate({ ...openConfig, ...cloud.config })).not.toThrow();
    }
    expect(Object.keys(provider.config).filter((name) => !text.includes(name))).toEqual([]);
  });

  test('the provider describes itself, its endpoint and the attributes of its credentials', () => {
    const { provider } = kit;
    expect(provider.type).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(provider.description).toMatch(/./);
    expect(Object.keys(provider.authTypes)).not.toEqual([]);
    for (const schema of Object.values(provider.authTypes))
      for (const { description } of Object.values(schema)) expect(description).toMatch(/./);
    for (const schema of [provider.config, ...Object.values(provider.authTypes)])
      for (const { secret, values, default: usual } of Object.values(schema)) {
        if (secret) expect(usual, 'a secret that everybody has').toBeUndefined();
        if (values && usual !== undefined) expect(values).toContain(usual);
      }
    if (provider.endpoint) expect(provider.endpoint.description).toMatch(/./);
  });

  test('unsupported constraints have no vocabulary and no conflicts', () => {
    const { constraints } = kit.environ;
    for (const key of constraints.unsupported) expect(constraints.vocabulary).not.toHaveProperty([key]);
    for (const { left, right } of constraints.conflicts)
      expect([...left, ...right].filter((key) => constraints.unsupported.includes(key))).toEqual([]);
  });
}

interface BoilerplateCloud {
  readonly type: string;
  readonly 'auth-types': readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Returns a valid value that differs from the given one. */
function another({ type, values, min = 0 }: Attribute, value: unknown): unknown {
  if (values) return values.find((each) => each !== value);
  switch (type) {
    case 'int':
      return typeof value === 'number' ? value + 1 : min;
    case 'bool':
      return !value;
    case 'map':
      return { another: JSON.stringify(value) ?? '' };
    default:
      return `${typeof value === 'string' ? value : ''}x`;
  }
}
