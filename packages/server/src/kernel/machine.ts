/**
 * State machines as tables: from which state, on which trigger, under which condition, to which state, with
 * which effects. The first matching row wins, and a trigger without a matching row is rejected. Code, tests
 * and documentation all use the same table, so they cannot disagree.
 */
import { assert } from './assert.ts'
import { refuse } from './errors.ts'

type Row<Status extends string, Trigger extends string, Facts, Effect extends string> = {
  readonly from: Status
  readonly on: Trigger
  /** A named function: the documentation shows its name. */
  readonly when?: (facts: Facts) => boolean
  readonly to: Status
  readonly effects: readonly Effect[]
}

export type Machine<Status extends string, Trigger extends string, Facts, Effect extends string> = {
  /** The noun for error messages. */
  readonly object: string
  readonly initial: Status
  /** The triggers that API callers can cause. The others come from timers or providers. */
  readonly actions: readonly Trigger[]
  readonly rows: readonly Row<Status, Trigger, Facts, Effect>[]
}

type Situation<Status, Trigger, Facts> = {
  readonly state: Status
  readonly trigger: Trigger
  readonly facts: Facts
}

/** The row of the transition that applies; rejects the request if there is none. */
export function nextTransition<Status extends string, Trigger extends string, Facts, Effect extends string>(
  machine: Machine<Status, Trigger, Facts, Effect>,
  // `NoInfer`: otherwise a misspelled state would widen the states of the machine instead of failing to
  // compile.
  situation: Situation<NoInfer<Status>, NoInfer<Trigger>, NoInfer<Facts>>,
): Row<Status, Trigger, Facts, Effect> {
  const { state, trigger, facts } = situation
  return (
    findRow(machine, situation) ??
    refuse('invalid_state', {
      detail: refusalText(machine, state, trigger),
      current_status: state,
      allowed_actions: allowedActions(machine, state, facts),
    })
  )
}

/** For example `A succeeded payment cannot be captured.` */
function refusalText(
  { object, actions }: { readonly object: string; readonly actions: readonly string[] },
  state: string,
  trigger: string,
): string {
  const subject = state.includes('_')
    ? `${withArticle(object)} with status ${state}`
    : withArticle(`${state} ${object}`)
  // Only actions of callers have their own sentence, because callers do not see the other triggers.
  if (!actions.includes(trigger)) return `${trigger} cannot be applied to ${subject}.`
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} cannot ${passiveOf(trigger)}.`
}

const passives: { readonly [action: string]: string } = {
  cancel: 'be cancelled',
  hold: 'be held',
  mark_uncollectible: 'be marked as uncollectible',
  pay: 'be paid',
  resend: 'be resent',
  retry: 'be retried',
  rotate_secret: 'get a new secret',
  stop: 'be stopped',
  submit: 'be submitted',
}

function passiveOf(action: string): string {
  return passives[action] ?? `be ${action}${action.endsWith('e') ? 'd' : 'ed'}`
}

function withArticle(noun: string): string {
  return `${/^(?:[aeio]|un)/i.test(noun) ? 'an' : 'a'} ${noun}`
}

/** Whether the row changes anything. A transition without a change is not stored and emits no event. */
export function isChange(row: { from: string; to: string; effects: readonly string[] }): boolean {
  return row.from !== row.to || row.effects.length > 0
}

/** The actions that a caller can take now. Repeating a completed action succeeds, but is not listed. */
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

/** The machine as a Markdown table, with its rows in the order of evaluation. */
export function toMarkdown<Status extends string, Trigger extends string, Facts, Effect extends string>(
  machine: Machine<Status, Trigger, Facts, Effect>,
): string {
  const rows = machine.rows.map((row) => {
    const condition = row.when ? spacedWords(row.when.name) : ''
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

/** The row of the transition that applies; undefined if there is none. */
export function findRow<Status extends string, Trigger extends string, Facts, Effect extends string>(
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
function spacedWords(name: string): string {
  // An inline function gets the name of its property, which tells the reader nothing.
  assert(
    name !== '' && name !== 'when',
    'Give the condition a name of its own: const sameCustomer = (facts) => ...',
  )
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
