/** What an operator asks on the command line, beside running the service. */
import type { Switchyard } from './compose.ts'
import { ConfigError } from './config.ts'
import { verifyAuditLog } from './domains/audit/service.ts'
import { eachWorkspace } from './domains/organizations/service.ts'
import { systemCaller } from './kernel/caller.ts'
import { type Kind, parseId } from './kernel/id.ts'
import { listParked, releaseParked } from './platform/engine/parking.ts'
import { works } from './worker.ts'

type Say = (line: string) => void

/** Walks the audit chain of every workspace. False if one of them does not hold. */
export async function verifyAudit({ deps }: Switchyard, say: Say): Promise<boolean> {
  let [walked, broken] = [0, 0]
  for await (const id of eachWorkspace(deps)) {
    const brokenAt = await verifyAuditLog(deps, systemCaller({ workspaceId: id, id }))
    walked += 1
    if (brokenAt === null) continue
    broken += 1
    say(`${id}: the audit log does not hold at entry ${brokenAt}`)
  }
  say(`${walked} workspaces, ${broken} whose audit log does not hold.`)
  return broken === 0
}

const shownAtOnce = 100

/** Work that failed too often and waits for a person. */
export async function showParked({ deps }: Switchyard, say: Say): Promise<void> {
  for (const shard of deps.databases.shards) {
    for (const { work, workspaceId, id, failures, reason, parkedAt } of await listParked(
      shard,
      works,
      shownAtOnce,
    )) {
      say(`${parkedAt.toISOString()} ${work} ${workspaceId} ${id} failed ${failures} times: ${reason}`)
    }
  }
  say(`Release one with: parked release <work> <workspace id> <object id>`)
}

/** Lets it run again, with ten new attempts. */
export async function release(
  { deps }: Switchyard,
  [name, workspace, object]: readonly string[],
  say: Say,
): Promise<boolean> {
  const work = works.find((one) => one.name === name)
  if (work === undefined)
    throw new ConfigError(`There is no work "${name}". There is: ${works.map((one) => one.name).join(', ')}.`)
  const workspaceId = parseEither('workspace', workspace)
  const id = parseEither(work.key, object)
  const released = await releaseParked(deps.databases.of(workspaceId), work.name, { workspaceId, id })
  say(released ? 'Released. It runs within seconds.' : 'Nothing is parked under that id.')
  return released
}

function parseEither<K extends Kind>(kind: K, text = '') {
  const id = parseId(kind, 'live', text) ?? parseId(kind, 'test', text)
  if (id === null) throw new ConfigError(`"${text}" is not the id of a ${kind}.`)
  return id
}
