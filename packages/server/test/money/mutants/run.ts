// Takes each guard away in turn and plays until the model notices.

import { reasonsOf } from '../shrink.ts'
import type { Throwaway } from '../throwaway.ts'
import { sendOut } from '../workers.ts'
import { type Mutant, mutants } from './table.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

export type MutantRun = {
  readonly seed: number
  readonly sequences: number
  readonly stages: number
  /** The name of one, if not all are wanted. */
  readonly only: string | null
}

type Row = { readonly mutant: Mutant; readonly after: number | null; readonly by: string }

/** True if every one of them was noticed. */
export async function runMutants(throwaway: Throwaway, run: MutantRun): Promise<boolean> {
  const wanted = mutants.filter(({ name }) => run.only === null || name === run.only)
  if (wanted.length === 0) throw new Error(`There is no mutant called ${run.only}.`)
  const workshop = openWorkshop()
  const rows: Row[] = []
  try {
    // All texts are looked for first: a row that is out of date should not be found after an hour.
    for (const { patches = [] } of wanted) workshop.patch(patches)
    await requireQuietControl(throwaway, workshop, run)
    for (const mutant of wanted) {
      const row = await tryOne(throwaway, workshop, mutant, run)
      rows.push(row)
      console.log(lineOf(row))
    }
  } finally {
    workshop.close()
  }
  const missed = rows.filter(({ after }) => after === null)
  console.log(
    `\n${tableOf(rows)}\n\n${rows.length - missed.length} of ${rows.length} were noticed within ${run.sequences} sequences of seed ${run.seed}.`,
  )
  return missed.length === 0
}

const unnoticed = 'not noticed'

async function tryOne(
  throwaway: Throwaway,
  workshop: Workshop,
  mutant: Mutant,
  { seed, sequences, stages }: MutantRun,
): Promise<Row> {
  workshop.patch(mutant.patches ?? [])
  const databaseUrl = await throwaway.newDatabase(mutant.statements)
  const campaign = { databaseUrl, seed, stages, from: 0, step: 1, until: sequences, shrinks: false }
  const [result] = await sendOut([campaign], workshop.workerFile).results
  const failure = result?.failure ?? null
  if (failure === null) return { mutant, after: null, by: unnoticed }
  const reasons = [...new Set(reasonsOf(failure.played))]
  // That shows that something is broken, or the machine too busy, and not that a promise is.
  const isNoProof = reasons.every((reason) => proofless.includes(reason))
  if (isNoProof) return { mutant, after: null, by: failure.played.wrongs.join(', ') }
  return { mutant, after: result?.played ?? 0, by: reasons.join(', ') }
}

const proofless = ['cannot be played', 'hangs']

/** With every guard in its place. A model that finds something then would find it in each mutant as well. */
const control: Mutant = { name: 'nothing', removes: 'nothing' }
const controlSequences = 300

async function requireQuietControl(throwaway: Throwaway, workshop: Workshop, run: MutantRun): Promise<void> {
  const sequences = Math.min(run.sequences, controlSequences)
  const { after, by } = await tryOne(throwaway, workshop, control, { ...run, sequences })
  if (after !== null || by !== unnoticed)
    throw new Error(`With every guard in its place a story failed, so the others would prove nothing: ${by}`)
  console.log(`nothing taken away: ${sequences} sequences, and nothing noticed`)
}

const lineOf = ({ mutant, after, by }: Row) =>
  `${mutant.name}: ${after === null ? 'NOT NOTICED' : `noticed after ${after} sequences`} (${by})`

function tableOf(rows: readonly Row[]): string {
  const head = '| Guard | What is taken away | Noticed after | By |\n|---|---|---|---|'
  const lines = rows.map(
    ({ mutant, after, by }) => `| ${mutant.name} | ${mutant.removes} | ${after ?? 'never'} | ${by} |`,
  )
  return [head, ...lines].join('\n')
}
