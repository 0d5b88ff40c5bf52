/** Looks at the whole installation: all checks at once, each with a limit, and none of them fails for another. */
import { type CheckResult, type Checkup, checkStatuses } from '../kernel/checkup.ts'
import { orAfter } from '../platform/engine/nap.ts'
import { scrub } from '../platform/log.ts'
import { type Check, fail, type Tools, type Verdict } from './check.ts'
import { databaseChecks } from './database.ts'
import { engineChecks } from './engine.ts'
import { settingsChecks } from './settings.ts'

export const checks: readonly Check[] = [...databaseChecks, ...engineChecks, ...settingsChecks]

const limitMs = 10_000

export async function examine(tools: Tools, asked: readonly Check[] = checks): Promise<Checkup> {
  const looks = await Promise.allSettled(asked.map((check) => orAfter(limitMs, check.look(tools), tooLong)))
  const results = looks.map((look, place): CheckResult => {
    const { id, title } = asked[place] as Check
    return { id, title, ...(look.status === 'fulfilled' ? look.value : failed(look.reason)) }
  })
  return { status: worstOf(results), checks: results }
}

const tooLong = fail('It took too long to look.', 'The database or NATS may be overloaded. Look again soon.')

function failed(reason: unknown): Verdict {
  const text = reason instanceof Error ? reason.message : String(reason)
  return fail(scrub(`It could not be looked at: ${text}`), 'See whether the other checks say why.')
}

function worstOf(results: readonly CheckResult[]): Checkup['status'] {
  const worst = Math.max(0, ...results.map(({ status }) => checkStatuses.indexOf(status)))
  return checkStatuses[worst] ?? 'ok'
}
