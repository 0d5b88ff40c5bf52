import { type Static, Type } from 'typebox'
import { roles } from '../../kernel/caller.ts'
import { IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import type { Person } from './person.ts'

export const PersonObject = Type.Object(
  {
    id: IdOf('person'),
    object: Type.Literal('person'),
    email: Type.String({
      description: 'The address the person signs in with.',
      examples: ['ada@example.com'],
    }),
    name: nullable(Type.String()),
    role: OneOf(roles, { description: 'What the person may do, in every workspace of the organization.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Person' },
)

export function present(person: Person): Static<typeof PersonObject> {
  return {
    id: person.id,
    object: 'person',
    email: person.email,
    name: person.name,
    role: person.role,
    created_at: person.createdAt.toISOString(),
    updated_at: person.updatedAt.toISOString(),
  }
}
