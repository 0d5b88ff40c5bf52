/** What a unit tells, from the call of `emit` to the text that is stored. */
import type { Caller } from '../../kernel/caller.ts'
import { uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'
import type { EventRecord } from './events.ts'

/** What was told, waiting for the version in which it is to be written. */
export type Telling = (apiVersion: string) => EventRecord

type Teller = { readonly db: Db; readonly caller: Caller }

/** A caller brings the version of the workspace along; the system asks for it when it has something to tell. */
export async function recorded(teller: Teller, tellings: readonly Telling[]): Promise<EventRecord[]> {
  if (tellings.length === 0) return []
  const apiVersion = teller.caller.apiVersion ?? (await readApiVersion(teller))
  return tellings.map((telling) => telling(apiVersion))
}

async function readApiVersion({ db, caller }: Teller): Promise<string> {
  const row = await db
    .selectFrom('workspaces')
    .select('api_version')
    .where('workspace_id', '=', uuidOf(caller.workspaceId))
    .executeTakeFirstOrThrow()
  return row.api_version
}
