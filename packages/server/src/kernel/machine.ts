/**
 * A life as a table: from which state, on which trigger, under which condition, to which state, with which
 * effects. The first row that fits wins, and what has no row is refused. Code, tests and documentation all
 * read the same table, so none of them can know a transition that the others do not.
 */
import { assert } from './assert.ts'
import { refuse } from './errors.ts'

type Row<Status extends string, Trigger extends string, Facts, Effect extends string> = {
  readonly from: Status
  readonly on: Trigger
  /** A named predicate: the documentation shows its name. */
  readonly when?: (facts: Facts) => boolean
  readonly to: Status
  readonly effects: readonly Effect[]
}

export type Machine<Status extends string, Trigger extends string, Facts, Effect extends string> = {
  readonly initial: Status
  /** The triggers that a caller may pull. The others come from time or from the world. */
  readonly actions: readonly Trigger[]
  readonly rows: readonly Row<Status, Trigger, Facts, Effect>[]
}

type Situation<Status, Trigger, Facts> = {
  readonly state: Status
  readonly trigger: Trigger
  readonly facts: Facts
}

/** The row that says what happens now; a refusal if none does. */
export function step<Status extends string, Trigger extends string, Facts, Effect extends string>(
  machine: Machine<Status, Trigger, Facts, Effect>,
  // Not inferred from: otherwise a misspelled state would only widen the machine's own states.
  situation: Situation<NoInfer<Status>, NoInfer<Trigger>, NoInfer<Facts>>,
): Row<Status, Trigger, Facts, Effect> {
  const { state, trigger, facts } = situation
  return (
    findRow(machine, situation) ??
    refuse('invalid_state', {
      detail: `Not possible: ${trigger} while ${state}.`,
      current_status: state,
      allowed_actions: allowedActions(machine, state, facts),
    })
  )
}

/** Whether the row makes a difference. A success without one is not written and not told. */
export function isChange(row: { from: string; to: string; effects: readonly string[] }): boolean {
  return row.from !== row.to || row.effects.length > 0
}

/** What a caller may do now. Repeating what already holds succeeds, but is nothing to offer. */
export function allowedActions<Status extends string, Trigger extends string, Facts, Effect extends string>(
  machine: Machine<Status, Trigger, Facts, Effect>,
  state: NoInfer<Status>,
  facts: NoInfer<Facts>,
): Trigger[] {
  return machine.actions.filter((trigger) => {
    const row = findRow(machine, { state, trigger, facts })
    return row !== undefined && isChange(row)
  })
}

/** The machine for the documentation, in the order in which its rows are tried. */
export function toMarkdown<Status extends string, Trigger extends string, Facts, Effect extends string>(
  machine: Machine<Status, Trigger, Facts, Effect>,
): string {
  const rows = machine.rows.map((row) => {
    const condition = row.when ? wordsOf(row.when.name) : ''
    const effects = isChange(row) ? row.effects.map(code).join(', ') : 'no change'
    return `| ${code(row.from)} | ${code(row.on)} | ${condition} | ${code(row.to)} | ${effects} |`
  })
  return [
    `Begins as ${code(machine.initial)}. Actions: ${machine.actions.map(code).join(', ') || 'none'}.`,
    '',
    '| State | Trigger | Condition | Next | Effects |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function findRow<Status extends string, Trigger extends string, Facts, Effect extends string>(
  machine: Machine<Status, Trigger, Facts, Effect>,
  { state, trigger, facts }: Situation<Status, Trigger, Facts>,
): Row<Status, Trigger, Facts, Effect> | undefined {
  return machine.rows.find(
    (row) => row.from === state && row.on === trigger && (row.when === undefined || row.when(facts)),
  )
}

function code(name: string): string {
  return `\`${name}\``
}

/** `sameCustomer` becomes `same customer`. */
function wordsOf(name: string): string {
  // A function written inside the row is called after its member, and says nothing to a reader.
  assert(
    name !== '' && name !== 'when',
    'Give the condition a name of its own: const sameCustomer = (facts) => ...',
  )
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
