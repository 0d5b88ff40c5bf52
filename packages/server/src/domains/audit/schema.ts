import { type Static, Type } from 'typebox'
import { sourceOf, sources } from '../../kernel/caller.ts'
import { IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { type Act, type AuditEntry, acts } from './audit-entry.ts'

export const AuditEntryObject = Type.Object(
  {
    id: IdOf('audit_entry'),
    object: Type.Literal('audit_entry'),
    number: Type.Integer({ description: 'Counts the acts of the workspace without a gap.' }),
    act: OneOf(acts, { description: 'What was done.' }),
    object_id: Type.String({ description: 'The object it was done to.', loggable: true }),
    api_token_id: nullable(IdOf('api_token', 'The token that was used; null if the system acted.')),
    person_id: nullable(IdOf('person', 'Who did it at the dashboard; null if a server or the system acted.')),
    source: OneOf(sources, { description: 'Where it was done.' }),
    authority: Type.String({ description: 'The role that was used, or `system`.', loggable: true }),
    request_id: nullable(IdOf('request', 'The request by which it was done.')),
    details: Type.Unsafe<AuditEntry['details']>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'What changed. Never a secret.',
    }),
    created_at: Time,
  },
  {
    $id: 'AuditEntry',
    description:
      'A privileged act: who did what to which object, and when. Entries are chained, so that a change of one shows.',
  },
)

const named = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))

export const ListAuditEntries = {
  act: Type.Optional(OneOf(acts, { description: 'Only acts of this kind.' })),
  object_id: named('Only what was done to this object.'),
  person_id: named('Only what this person did at the dashboard.'),
  api_token_id: named('Only what was done with this token.'),
}

export function present(entry: AuditEntry): Static<typeof AuditEntryObject> {
  return {
    id: entry.id,
    object: 'audit_entry',
    number: Number(entry.number),
    act: entry.act satisfies Act,
    object_id: entry.objectId,
    api_token_id: entry.tokenId,
    person_id: entry.personId,
    source: sourceOf(entry),
    authority: entry.authority,
    request_id: entry.requestId,
    details: entry.details,
    created_at: entry.createdAt.toISOString(),
  }
}
