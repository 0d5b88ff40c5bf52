/** Looks at the whole installation: all checks at once, each with a limit, and none of them fails for another. */
import { type CheckResult, type Checkup, checkStatuses } from '../kernel/checkup.ts'
import { openOwner } from '../platform/db/owner.ts'
import { scrub } from '../platform/log.ts'
import { addressChecks } from './addresses.ts'
import { type Check, fail, ok, type Seeing, type Tools, type Verdict } from './check.ts'
import { databaseChecks } from './database.ts'
import { engineChecks } from './engine.ts'
import { limitFrom } from './limit.ts'
import { roomChecks } from './room.ts'
import { settingsChecks } from './settings.ts'
import { tenantChecks } from './tenants.ts'
import { upkeepChecks } from './upkeep.ts'

export const checks: readonly Check[] = [
  ...[databaseChecks, roomChecks, upkeepChecks, engineChecks].flat(),
  ...[tenantChecks, addressChecks, settingsChecks].flat(),
]

const patienceMs = 10_000

export async function examine(tools: Tools, asked = checks, limitMs = patienceMs): Promise<Checkup> {
  const owner = openOwner(tools.config.databaseOwnerUrl, limitMs)
  const looks = await Promise.allSettled(
    asked.map((check) => lookWithin(limitMs, check, { ...tools, owner })),
  )
  await owner.close()
  const results = looks.map((look, place): CheckResult => {
    const { id, title } = asked[place] as Check
    if (look.status === 'fulfilled') return { id, title, ...look.value }
    const isHidden = ownsNothing(tools.config) && owner.isDenial(look.reason)
    return { id, title, ...(isHidden ? notVisible : failed(look.reason)) }
  })
  return { status: worstOf(results), checks: results }
}

async function lookWithin(limitMs: number, check: Check, tools: Seeing): Promise<Verdict> {
  const { owner, over, stop } = limitFrom(tools.owner, limitMs)
  return Promise.race([check.look({ ...tools, owner }), over.then(() => tooLong)]).finally(stop)
}

/** Processes that face the network are often given a user that owns nothing: what it may not see is no fault. */
const ownsNothing = ({ databaseUrl, databaseOwnerUrl }: Tools['config']) => databaseOwnerUrl === databaseUrl

const notVisible = ok('Not visible to this process: run doctor where DATABASE_OWNER_URL is set.')
const tooLong = fail('It took too long to look.', 'The database or NATS may be overloaded. Look again soon.')

function failed(reason: unknown): Verdict {
  const text = reason instanceof Error ? reason.message : String(reason)
  return fail(scrub(`It could not be looked at: ${text}`), 'See whether the other checks say why.')
}

function worstOf(results: readonly CheckResult[]): Checkup['status'] {
  const worst = Math.max(0, ...results.map(({ status }) => checkStatuses.indexOf(status)))
  return checkStatuses[worst] ?? 'ok'
}
