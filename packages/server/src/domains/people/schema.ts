import { type Static, Type } from 'typebox'
import { roles } from '../../kernel/caller.ts'
import { IdOf, mostlyNull, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { type Person, statuses } from './person.ts'

const role = OneOf(roles, { description: 'What the person may do, in every workspace of the organization.' })

export const PersonObject = Type.Object(
  {
    id: IdOf('person'),
    object: Type.Literal('person'),
    email: Type.String({
      description: 'The address the person signs in with.',
      examples: ['ada@example.com'],
    }),
    name: nullable(Type.String({ description: 'What the person is called.' })),
    role,
    status: OneOf(statuses, { description: 'Whoever is deactivated cannot sign in.' }),
    totp_enabled: Type.Boolean({ description: 'Whether a code is asked for beside the password.' }),
    last_seen_at: mostlyNull(Time),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Person', description: 'Somebody who uses the dashboard.' },
)

export const PersonPath = Type.Object({ person_id: IdOf('person') })

export const UpdatePerson = Type.Object({ role }, { additionalProperties: false })
export type UpdatePerson = Static<typeof UpdatePerson>

export const SignOutPerson = Type.Object(
  {
    remove_passkeys: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the passkeys of the person are removed as well: each opens without a password.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SignOutPerson = Static<typeof SignOutPerson>

export function present(person: Person): Static<typeof PersonObject> {
  return {
    id: person.id,
    object: 'person',
    email: person.email,
    name: person.name,
    role: person.role,
    status: person.status,
    totp_enabled: person.hasTotp,
    last_seen_at: person.lastSeenAt?.toISOString() ?? null,
    created_at: person.createdAt.toISOString(),
    updated_at: person.updatedAt.toISOString(),
  }
}
