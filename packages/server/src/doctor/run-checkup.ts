/** Checks the whole installation: all checks run concurrently and independently, each with a time limit. */
import { databasesOf } from '../config.ts'
import { type CheckResult, type CheckStatus, type Checkup, checkStatuses } from '../kernel/checkup.ts'
import { openOwner } from '../platform/db/owner.ts'
import { scrub } from '../platform/log.ts'
import { addressChecks } from './addresses.ts'
import { cellChecks } from './cells.ts'
import { type Check, type CheckContext, type CheckFinding, type DoctorTools, fail, ok } from './check.ts'
import { startTimeout } from './check-timeout.ts'
import { databaseChecks } from './database.ts'
import { diskChecks } from './disk.ts'
import { engineChecks } from './engine.ts'
import { mailChecks } from './mail-domain.ts'
import { moveChecks } from './moves.ts'
import { replicationChecks } from './replication.ts'
import { settingsChecks } from './settings.ts'
import { tenantChecks } from './tenants.ts'
import { upkeepChecks } from './upkeep.ts'
import { workspaceServiceChecks } from './workspace-services.ts'

export const checks: readonly Check[] = [
  databaseChecks,
  replicationChecks,
  moveChecks,
  cellChecks,
  diskChecks,
  upkeepChecks,
  engineChecks,
  tenantChecks,
  workspaceServiceChecks,
  addressChecks,
  mailChecks,
  settingsChecks,
].flat()

const defaultLimitMs = 10_000

export async function runCheckup(
  tools: DoctorTools,
  selected = checks,
  limitMs = defaultLimitMs,
): Promise<Checkup> {
  const examined = openExamined(tools, limitMs)
  const results = await Promise.all(
    selected.map(async (check): Promise<CheckResult> => {
      const { id, title, perDatabase = false } = check
      const on = perDatabase ? examined : examined.slice(0, 1)
      const findings = on.map(async (database) => ({
        name: database.name,
        finding: await runWithTimeout(limitMs, check, database),
      }))
      return { id, title, ...merge(await Promise.all(findings)) }
    }),
  )
  await Promise.all(examined.map(({ tools: { owner } }) => owner.close()))
  return { status: worstOf(results), checks: results }
}

/** A database, and the tools to examine it. */
type Examined = { readonly name: string; readonly tools: CheckContext }

function openExamined(tools: DoctorTools, limitMs: number): readonly Examined[] {
  const { config } = tools
  const control: readonly [string, string] = [config.databaseOwnerUrl, 'control']
  const databases = config.shards.length > 1 ? [...databasesOf(config)] : [control]
  return databases.map(([databaseOwnerUrl, name]) => {
    const databaseUrl = config.shards.find((shard) => shard.name === name)?.url ?? config.databaseUrl
    const owner = openOwner(databaseOwnerUrl, limitMs)
    return { name, tools: { ...tools, config: { ...config, databaseUrl, databaseOwnerUrl }, owner } }
  })
}

async function runWithTimeout(limitMs: number, check: Check, { tools }: Examined): Promise<CheckFinding> {
  const { owner, expired, stop } = startTimeout(tools.owner, limitMs)
  const run = async () => check.run({ ...tools, owner })
  return Promise.race([run(), expired.then(() => timedOut)])
    .then(
      (finding) => finding,
      (reason: unknown) => findingOf(reason, tools),
    )
    .finally(stop)
}

function findingOf(reason: unknown, { config, owner }: CheckContext): CheckFinding {
  return ownsNothing(config) && owner.isDenial(reason) ? notVisible : failed(reason)
}

type NamedFinding = { readonly name: string; readonly finding: CheckFinding }

/** One finding about several databases. If there are problems, it contains only these. */
function merge(all: readonly NamedFinding[]): CheckFinding {
  const [first] = all as [NamedFinding]
  if (all.length === 1) return first.finding
  const problems = all.filter(({ finding }) => finding.status !== 'ok')
  const shown = problems.length === 0 ? all : problems
  const status = worstOf(all.map(({ finding }) => finding))
  return {
    status,
    detail: shown.map(({ name, finding }) => `${name}: ${finding.detail}`).join(' '),
    advice: problems.find(({ finding }) => finding.status === status)?.finding.advice ?? null,
    which: shown.flatMap(({ finding }) => finding.which),
  }
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

function worstOf(results: readonly { readonly status: CheckStatus }[]): CheckStatus {
  const worst = Math.max(0, ...results.map(({ status }) => checkStatuses.indexOf(status)))
  return checkStatuses[worst] ?? 'ok'
}
