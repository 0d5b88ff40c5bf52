/** Checks the whole installation: all checks run concurrently and independently, each with a time limit. */
import { type CheckResult, type Checkup, checkStatuses } from '../kernel/checkup.ts'
import { openOwner } from '../platform/db/owner.ts'
import { scrub } from '../platform/log.ts'
import { addressChecks } from './addresses.ts'
import { type Check, type CheckContext, type CheckFinding, type DoctorTools, fail, ok } from './check.ts'
import { startTimeout } from './check-timeout.ts'
import { databaseChecks } from './database.ts'
import { diskChecks } from './disk.ts'
import { engineChecks } from './engine.ts'
import { mailChecks } from './mail-domain.ts'
import { settingsChecks } from './settings.ts'
import { tenantChecks } from './tenants.ts'
import { upkeepChecks } from './upkeep.ts'
import { vaultChecks } from './vaults.ts'

export const checks: readonly Check[] = [
  ...[databaseChecks, diskChecks, upkeepChecks, engineChecks].flat(),
  ...[tenantChecks, vaultChecks, addressChecks, mailChecks, settingsChecks].flat(),
]

const defaultLimitMs = 10_000

export async function runCheckup(
  tools: DoctorTools,
  selected = checks,
  limitMs = defaultLimitMs,
): Promise<Checkup> {
  const owner = openOwner(tools.config.databaseOwnerUrl, limitMs)
  const findings = await Promise.allSettled(
    selected.map((check) => runWithTimeout(limitMs, check, { ...tools, owner })),
  )
  await owner.close()
  const results = findings.map((finding, index): CheckResult => {
    const { id, title } = selected[index] as Check
    if (finding.status === 'fulfilled') return { id, title, ...finding.value }
    const isHidden = ownsNothing(tools.config) && owner.isDenial(finding.reason)
    return { id, title, ...(isHidden ? notVisible : failed(finding.reason)) }
  })
  return { status: worstOf(results), checks: results }
}

async function runWithTimeout(limitMs: number, check: Check, tools: CheckContext): Promise<CheckFinding> {
  const { owner, expired, stop } = startTimeout(tools.owner, limitMs)
  return Promise.race([check.run({ ...tools, owner }), expired.then(() => timedOut)]).finally(stop)
}

/**
 * Processes that serve requests often use a role that owns no tables. Data that such a role cannot see is
 * not a fault.
 */
const ownsNothing = ({ databaseUrl, databaseOwnerUrl }: DoctorTools['config']) =>
  databaseOwnerUrl === databaseUrl

const notVisible = ok('Not visible to this process: run doctor where DATABASE_OWNER_URL is set.')
const timedOut = fail('The check timed out.', 'The database or NATS may be overloaded. Try again later.')

function failed(reason: unknown): CheckFinding {
  const text = reason instanceof Error ? reason.message : String(reason)
  return fail(scrub(`The check failed: ${text}`), 'The other checks may show the reason.')
}

function worstOf(results: readonly CheckResult[]): Checkup['status'] {
  const worst = Math.max(0, ...results.map(({ status }) => checkStatuses.indexOf(status)))
  return checkStatuses[worst] ?? 'ok'
}
