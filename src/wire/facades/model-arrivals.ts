/**
 * Facade by which a controller brings a model to another one (migration.md#arrival): grigri's design, not Juju's
 * MigrationTarget, since what is carried are grigri's documents. A model that arrives is not there for anybody until it
 * is activated.
 */
import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { listOf, noResult } from './shared.ts';

const text = z.string();
const data = z.record(z.string(), z.unknown());
/** The migration of which a request is a part. */
const ofMigration = { model: text, migration: text };

/** What the model is, beside the documents of its space. Sealed texts in it are opened. */
const described = {
  ...ofMigration,
  /** UUID of the controller that the model comes from. */
  from: text,
  'cloud-type': text,
  /** Version of the controller that the model comes from. */
  version: text,
  /** Text by which the cloud finds the model's resources. */
  ticket: text,
  machines: z.int().min(0),
  /** Instance ids of the machines that are hosts which somebody has added. */
  hosts: z.array(text).exactOptional(),
  /** Records of hosts whose machines were removed, and whose agents may not know. */
  'gone-hosts': z.array(data).exactOptional(),
  /** Record of the model. */
  record: data,
  /** Records of the users' access. */
  access: z.array(data),
  credential: data.exactOptional(),
  'skip-user-checks': z.boolean().exactOptional(),
  /** Records of users' access to the model's offers. */
  'offer-access': z.array(data).exactOptional(),
  /** Users in whose names relations were made by offers: they have to be able to consume them here. */
  consumers: z.array(z.object({ user: text, offer: text, name: text })).exactOptional(),
  /** How the controller that the model comes from is reached: the model goes on to consume offers there. */
  'consumes-from': z.object({ addresses: z.array(text), 'ca-cert': text }).exactOptional(),
};
/** Piece of a content, in base64; a piece at 0 begins anew. */
const piece = { offset: z.int().min(0), data: text, last: z.boolean() };

export const modelArrivals = {
  name: 'ModelArrivals',
  own: true,
  versions: [1],
  on: 'controller',
  methods: {
    /** Tells whether the model could come here; changes nothing. */
    Prechecks: {
      params: z.object(described),
      /** Addresses at which agents and clients find this controller. */
      result: z.strictObject({ addresses: listOf(text) }),
    },
    /** Begins the arrival of a model; what an earlier migration of it has left is removed. */
    Import: { params: z.object(described), result: noResult },
    /** Adds documents of the model's space: lines of JSON with kind, id and document. */
    ImportDocuments: { params: z.object({ ...ofMigration, ...piece }), result: noResult },
    /** Adds contents of secrets to the revisions that arrived: `content` is as it was sent by a charm or user. */
    ImportSecrets: {
      params: z.object({
        ...ofMigration,
        secrets: z.array(z.object({ revision: text, content: z.record(z.string(), text) })),
      }),
      result: noResult,
    },
    /** Returns which of the contents, of charms and resources, are not here. */
    MissingContents: {
      params: z.object({ ...ofMigration, contents: z.array(text) }),
      result: z.strictObject({ contents: listOf(text) }),
    },
    /** Adds a content; `sha256` in hex. Errors: `not valid` for another form of it. */
    ImportContent: { params: z.object({ ...ofMigration, sha256: text, ...piece }), result: noResult },
    /**
     * Makes the model this controller's; `documents`: how many its space must have. A repeated call changes nothing.
     * Errors: `not found` for a migration that was given up, or replaced.
     */
    Activate: { params: z.object({ ...ofMigration, documents: z.int().min(0) }), result: noResult },
    /** Returns when this controller has taken over the model's machines. Errors: `try again` before that. */
    AdoptResources: { params: z.object(ofMigration), result: noResult },
    /** Gives up the arrival. A repeated call changes nothing. Errors: '' when the model was activated. */
    Abort: { params: z.object(ofMigration), result: noResult },
  },
} as const satisfies FacadeSpec;
