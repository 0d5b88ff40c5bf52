/** What an operator asks on the command line, beside running the service. */
import type { Switchyard } from './compose.ts'
import { ConfigError } from './config.ts'
import { verifyAuditLog } from './domains/audit/service.ts'
import { eachWorkspace } from './domains/organizations/service.ts'
import { type Evaluated, evaluateRoute, type Refused } from './domains/payment-routes/service/evaluate.ts'
import { systemCaller } from './kernel/caller.ts'
import { type CheckResult, checkStatuses } from './kernel/checkup.ts'
import { type Id, type Kind, modeOf, parseId, slotOf } from './kernel/id.ts'
import { orAfter } from './platform/engine/nap.ts'
import { listParked, releaseParked } from './platform/engine/parking.ts'
import { createKeyring } from './platform/sealed-box/keyring.ts'
import { rotateMasterKey } from './platform/sealed-box/rotation.ts'
import { works } from './worker.ts'

type Say = (line: string) => void

/** How long NATS may take to answer before it counts as away. */
const natsPatienceMs = 3_000

/** Checks the installation. False if a check fails. What is wrong comes first, the worst before the rest. */
export async function runDoctor(
  { deps, engine, config }: Switchyard,
  asked: { readonly json?: boolean | undefined },
  say: Say,
): Promise<boolean> {
  const connected = new Promise<void>((resolve) => engine.connection.onConnected(resolve))
  if (config.natsUrl !== null) await orAfter(natsPatienceMs, connected, undefined)
  const { status, checks } = await deps.examine()
  if (asked.json === true) say(JSON.stringify({ status, checks }, null, 2))
  else for (const check of checks.toSorted(byStatus)) for (const line of linesOf(check)) say(line)
  return status !== 'fail'
}

const byStatus = (a: CheckResult, b: CheckResult) =>
  checkStatuses.indexOf(b.status) - checkStatuses.indexOf(a.status)

function linesOf({ status, title, detail, advice, which }: CheckResult): readonly string[] {
  const found = `${status.padEnd(4)}  ${title}: ${detail}`
  return [found, ...(advice === null ? [] : [advice]), ...which].map((line, at) =>
    at === 0 ? line : `      ${line}`,
  )
}

/**
 * Walks the audit chain of every workspace. False if one of them does not hold. It prints where each ends:
 * whoever owns the database could write a whole chain anew, so keep these lines somewhere else.
 */
export async function verifyAudit({ deps }: Switchyard, say: Say): Promise<boolean> {
  let [walked, broken] = [0, 0]
  for await (const id of eachWorkspace(deps)) {
    const { brokenAt, head } = await verifyAuditLog(deps, systemCaller({ workspaceId: id, id }))
    walked += 1
    if (brokenAt !== null) broken += 1
    say(
      brokenAt === null
        ? `${id} holds, ${head.number} entries, ${head.hash.toString('hex')}`
        : `${id} DOES NOT HOLD at entry ${brokenAt}`,
    )
  }
  say(`${walked} workspaces, ${broken} whose audit log does not hold.`)
  return broken === 0
}

const shownAtOnce = 100

/** Work that failed too often and waits for a person. */
export async function showParked({ deps }: Switchyard, say: Say): Promise<void> {
  const lists = await Promise.all(deps.databases.shards.map((shard) => listParked(shard, works, shownAtOnce)))
  const parked = lists.flat()
  if (parked.length === 0) return say('Nothing is parked.')
  for (const { work, workspaceId, id, failures, reason, parkedAt } of parked) {
    say(`${parkedAt.toISOString()} ${work} ${workspaceId} ${id} failed ${failures} times: ${reason}`)
  }
  say('Release one with: parked release <work> <workspace id> <object id>')
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

/** Brings all keys under the first master key. False if some are still under another one. */
export async function rotateKeys({ config, deps }: Switchyard, say: Say): Promise<boolean> {
  const keyring = createKeyring(config.masterKeys)
  const left = await rotateMasterKey(deps.databases, keyring, {
    onProgress: (done, total) => say(`${done} of ${total} workspaces`),
    onFault: say,
  })
  if (left > 0) {
    say(`${left} workspaces have a key under another master key than "${keyring.firstId}".`)
    say('Keep the older ones in MASTER_KEYS, and run this again.')
    return false
  }
  say(`Every key is sealed with the master key "${keyring.firstId}".`)
  if (keyring.olderIds.length > 0) {
    say(`${keyring.olderIds.join(', ')} may be removed from MASTER_KEYS, if every process was started with`)
    say(`"${keyring.firstId}" as its first. If one was not, start it anew and run this again before.`)
  }
  return true
}

type Asked = {
  readonly route?: string | undefined
  readonly days?: string | undefined
  readonly json?: boolean | undefined
}

/** What an adaptive order is worth against the fixed one, by what was recorded. False if nothing can be said. */
export async function evaluate({ deps }: Switchyard, asked: Asked, say: Say): Promise<boolean> {
  const id = parseEither('payment_route', asked.route)
  const days = Number(asked.days ?? 30)
  if (!Number.isInteger(days) || days < 1 || days > 365)
    throw new ConfigError('--days is a whole number from 1 to 365.')
  const found = await evaluateAnywhere(deps, id, days)
  if (found === null) throw new ConfigError(`There is no payment route ${id}.`)
  if (asked.json === true) say(JSON.stringify({ payment_route_id: id, days, ...presentEvaluated(found) }))
  else for (const line of wordsOf(found, days)) say(line)
  return !('refused' in found)
}

/** The id names its slot, and few workspaces share one. */
async function evaluateAnywhere(deps: Switchyard['deps'], id: Id<'payment_route'>, days: number) {
  for await (const workspaceId of eachWorkspace(deps)) {
    if (slotOf(workspaceId) !== slotOf(id) || modeOf(workspaceId) !== modeOf(id)) continue
    const found = await evaluateRoute(deps, systemCaller({ workspaceId, id: workspaceId }), id, days)
    if (found !== null) return found
  }
  return null
}

function presentEvaluated(found: Evaluated | Refused): object {
  if ('refused' in found) return found
  const { withoutLot: without_lot, stillLearning: still_learning, ...figures } = found
  return { ...figures, without_lot, still_learning }
}

function wordsOf(found: Evaluated | Refused, days: number): readonly string[] {
  if ('refused' in found) return [`Nothing can be said: ${found.refused}`]
  const points = (share: number) => `${share < 0 ? '' : '+'}${(share * 100).toFixed(2)}`
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`
  return [
    `Adaptive against the fixed order: ${points(found.uplift)} points of approval,`,
    `95 % interval ${points(found.low)} to ${points(found.high)}, from ${found.payments} payments by lot in ${days} days.`,
    `First attempts approved: ${percent(found.fixed)} by the fixed order, ${percent(found.adaptive)} by the adaptive one.`,
    `Left out: ${found.withoutLot} payments without a lot, ${found.stillLearning} while there were too few attempts.`,
  ]
}

function parseEither<K extends Kind>(kind: K, text = '') {
  const id = parseId(kind, 'live', text) ?? parseId(kind, 'test', text)
  if (id === null) throw new ConfigError(`"${text}" is not the id of a ${kind}.`)
  return id
}
