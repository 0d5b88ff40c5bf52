import { type Selectable, sql } from 'kysely'
import type { Role } from '../../kernel/caller.ts'
import { type Id, idFromUuid, uuidOf } from '../../kernel/id.ts'
import { inControl } from '../../platform/db/control.ts'
import type { Db } from '../../platform/db/databases.ts'
import { type IdRange, keysetOf, pageOf } from '../../platform/db/keyset.ts'
import type { ControlPeople } from '../../platform/db/tables.generated.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import type { Person } from './person.ts'

export async function insertPerson(tx: Tx, person: Person, passwordHash: string): Promise<void> {
  const row = {
    id: uuidOf(person.id),
    organization_id: uuidOf(person.organizationId),
    email: person.email,
    name: person.name,
    role: person.role,
    password_hash: passwordHash,
    created_at: person.createdAt,
    updated_at: person.updatedAt,
  }
  await inControl(tx, (db) => db.insertInto('control.people').values(row).execute())
}

export async function listPeopleOf(db: Db, organizationId: Id<'organization'>, range: IdRange) {
  const { rows } = await sql<Selectable<ControlPeople>>`
    select id, organization_id, email, name, role, created_at, updated_at from control.people
    where organization_id = ${uuidOf(organizationId)} ${keysetOf(range)}`.execute(db)
  return pageOf(rows.map(fromRow), range)
}

function fromRow(row: Selectable<ControlPeople>): Person {
  return {
    id: idFromUuid('person', 'live', row.id),
    organizationId: idFromUuid('organization', 'live', row.organization_id),
    email: row.email,
    name: row.name,
    role: row.role as Role,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
