// Removes one guard at a time, and runs scenarios until a check detects it. With `keepsConstraints`, only the code of the
// guard is removed: the database must refuse the commit, and no check may find lost money.

import { join } from 'node:path'
import type { Kind } from '../scenario-kinds.ts'
import { reasonsOf } from '../shrink.ts'
import type { TemporaryPostgres } from '../temporary-postgres.ts'
import { startWorkers } from '../worker-pool.ts'
import { createPatchedCopy, type PatchedCopy } from './patched-copy.ts'
import { type Mutant, mutants } from './table.ts'

export type MutantRun = {
  /** Run the mutants of these kinds of scenarios. */
  readonly kinds: readonly Kind[]
  readonly seed: number
  readonly sequences: number
  readonly harnesses: number
  /** The name of one mutant, or null for all. */
  readonly only: string | null
  /** Whether the constraints stay in place. Then only mutants whose rule is guarded by code and a constraint are run. */
  readonly keepsConstraints: boolean
}

type Row = { readonly mutant: Mutant; readonly detectedAfter: number | null; readonly reason: string }

/** Returns true if every mutant was detected. */
export async function runMutants(temporaryPostgres: TemporaryPostgres, run: MutantRun): Promise<boolean> {
  const selected = mutants
    .filter(({ name, kind }) => run.kinds.includes(kind) && (run.only === null || name === run.only))
    .filter(({ statements, patches }) => !run.keepsConstraints || (statements && patches))
  if (selected.length === 0) throw new Error(`There is no mutant called ${run.only}.`)
  const patchedCopy = createPatchedCopy()
  const rows: Row[] = []
  try {
    // Check all patches first, so that an outdated one is found immediately.
    for (const { patches = [] } of selected) patchedCopy.patch(patches)
    for (const kind of new Set(selected.map((mutant) => mutant.kind)))
      await requirePassingControl(temporaryPostgres, patchedCopy, run, kind)
    for (const mutant of selected) {
      const row = await runMutant(temporaryPostgres, patchedCopy, mutant, run)
      rows.push(row)
      console.log(formatRow(row))
    }
  } finally {
    patchedCopy.close()
  }
  const undetected = rows.filter(({ detectedAfter }) => detectedAfter === null)
  console.log(
    `\n${formatTable(rows)}\n\n${rows.length - undetected.length} of ${rows.length} were detected within ${run.sequences} sequences of seed ${run.seed}.`,
  )
  return undetected.length === 0
}

const notDetected = 'not detected'

async function runMutant(
  temporaryPostgres: TemporaryPostgres,
  patchedCopy: PatchedCopy,
  mutant: Mutant,
  { seed, sequences, harnesses, keepsConstraints }: MutantRun,
): Promise<Row> {
  patchedCopy.patch(mutant.patches ?? [])
  const databaseUrl = await temporaryPostgres.newDatabase(keepsConstraints ? [] : mutant.statements)
  const { kind } = mutant
  const batch = { databaseUrl, kind, seed, harnesses, from: 0, step: 1, until: sequences, shrinks: false }
  const [result] = await startWorkers(
    [batch],
    join(patchedCopy.folder, 'packages/server/test/money/worker.ts'),
  ).results
  const failure = result?.failure ?? null
  if (failure === null) return { mutant, detectedAfter: null, reason: notDetected }
  const reasons = [...new Set(reasonsOf(failure.result))]
  // These failures are caused by broken code or a busy machine, not by a violated rule.
  const isInconclusive = reasons.every((reason) => inconclusiveReasons.includes(reason))
  if (isInconclusive || (keepsConstraints && !reasons.some(isRefusedCommit)))
    return { mutant, detectedAfter: null, reason: failure.result.violations.join(', ') }
  return { mutant, detectedAfter: result?.finished ?? 0, reason: reasons.join(', ') }
}

const isRefusedCommit = (reason: string) => reason === 'server error' || /^the work .* failed$/.test(reason)

const inconclusiveReasons = ['cannot be run', 'hangs']

/** The length of the control run with all guards. A violation in it would also appear for every mutant. */
const controlSequences = 300

async function requirePassingControl(
  temporaryPostgres: TemporaryPostgres,
  patchedCopy: PatchedCopy,
  run: MutantRun,
  kind: Kind,
): Promise<void> {
  const control: Mutant = { kind, name: 'nothing', removes: 'nothing' }
  const sequences = Math.min(run.sequences, controlSequences)
  const { detectedAfter, reason } = await runMutant(temporaryPostgres, patchedCopy, control, {
    ...run,
    sequences,
  })
  if (detectedAfter !== null || reason !== notDetected)
    throw new Error(
      `A scenario failed with all guards in place, so the mutants would prove nothing: ${reason}`,
    )
  console.log(`no guard removed: ${sequences} sequences about ${kind}, no violation`)
}

const formatRow = ({ mutant, detectedAfter, reason }: Row) =>
  `${mutant.name}: ${detectedAfter === null ? 'NOT DETECTED' : `detected after ${detectedAfter} sequences`} (${reason})`

function formatTable(rows: readonly Row[]): string {
  const head = '| Guard | Removed | Detected after | Reason |\n|---|---|---|---|'
  const lines = rows.map(
    ({ mutant, detectedAfter, reason }) =>
      `| ${mutant.name} | ${mutant.removes} | ${detectedAfter ?? 'never'} | ${reason} |`,
  )
  return [head, ...lines].join('\n')
}
