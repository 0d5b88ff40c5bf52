import { type Static, Type } from 'typebox'
import { sourceOf, sources } from '../../../kernel/caller.ts'
import { CreatedAt, IdOf, nullable, OneOf } from '../../../kernel/shapes.ts'
import { type Act, type AuditEntry, acts } from './audit-entry.ts'

export const AuditEntryObject = Type.Object(
  {
    id: IdOf('audit_entry'),
    object: Type.Literal('audit_entry'),
    number: Type.Integer({ description: 'Sequential number within the workspace, without gaps.' }),
    act: OneOf(acts, { description: 'Action that was taken.' }),
    object_id: Type.String({ description: 'Object of the action.', loggable: true }),
    api_token_id: nullable(IdOf('api_token', 'API token used. Null if no API token was used.')),
    person_id: nullable(
      IdOf('person', 'Person who acted in the dashboard. Null if an API token or the system acted.'),
    ),
    source: OneOf(sources, { description: 'Where the action came from.' }),
    authority: Type.String({ description: 'Role used, or `system`.', loggable: true }),
    request_id: nullable(IdOf('request', 'Request that took the action. Null if there is none.')),
    details: Type.Unsafe<AuditEntry['details']>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'What changed. Never contains secrets.',
    }),
    created_at: CreatedAt,
  },
  {
    $id: 'AuditEntry',
    description:
      'An admin action: who did what to which object, and when. Entries form a hash chain, so that tampering can be detected.',
  },
)

const textFilter = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))

export const ListAuditEntries = {
  act: Type.Optional(OneOf(acts, { description: 'Only actions of this type.' })),
  object_id: textFilter('Only actions on this object.'),
  person_id: textFilter('Only actions that this person took in the dashboard.'),
  api_token_id: textFilter('Only actions taken with this API token.'),
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
