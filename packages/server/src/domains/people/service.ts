/** People of an organization. The first, an ADMIN, is made by setup with a password drawn for them. */
import type { Deps } from '../../deps.ts'
import type { Caller, Role } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'
import { readControl } from '../../platform/db/control.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { getWorkspace } from '../organizations/service.ts'
import type { Person } from './person.ts'
import { insertPerson, listPeopleOf } from './store.ts'

export async function createPerson(
  tx: Tx,
  input: { organizationId: Id<'organization'>; email: string; role: Role; passwordHash: string },
): Promise<Person> {
  const person: Person = {
    id: tx.newId('person'),
    organizationId: input.organizationId,
    email: input.email.toLowerCase(),
    name: null,
    role: input.role,
    createdAt: tx.now,
    updatedAt: tx.now,
  }
  await insertPerson(tx, person, input.passwordHash)
  await recordAct(tx, 'person.created', { objectId: person.id, details: { role: person.role } })
  return person
}

export async function listPeople(deps: Deps, caller: Caller, range: IdRange) {
  const { organizationId } = await getWorkspace(deps, caller)
  return readControl(deps, (db) => listPeopleOf(db, organizationId, range))
}
