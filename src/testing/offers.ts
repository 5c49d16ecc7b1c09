/** Documents of offers and of relations through them, for tests. */
import type { OfferDoc } from '../core/offer/document.ts';
import type { RelationDoc } from '../core/relation/document.ts';
import type { RemoteApplicationDoc } from '../core/remote-application/document.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

/** Returns an offer of the endpoint `server` of an application. */
export function offerDoc(name: string, application: string): OfferDoc {
  return {
    name,
    uuid: `uuid-${name}`,
    application,
    endpoints: { server: 'server' },
    description: '',
    createdAt,
  };
}

/** Returns a proxy, and a relation with it by which an offer is used. */
export function useOf(offer: OfferDoc, id: number): { proxy: RemoteApplicationDoc; relation: RelationDoc } {
  const proxyName = `remote-a${id}`;
  const end = { interface: 'mysql', scope: 'global', limit: 0, optional: false } as const;
  return {
    proxy: {
      name: proxyName,
      model: 'other',
      endpoints: [{ name: 'db', role: 'requirer', interface: 'mysql', limit: 0 }],
      createdAt,
    },
    relation: {
      id,
      key: `${proxyName}:db ${offer.application}:server`,
      endpoints: [
        { ...end, application: proxyName, name: 'db', role: 'requirer' },
        { ...end, application: offer.application, name: 'server', role: 'provider' },
      ],
      life: 'alive',
      createdAt,
      remote: {
        token: `token-${id}`,
        application: proxyName,
        offered: { offer: offer.name, user: 'bob', model: 'other', ingress: [] },
      },
    },
  };
}
