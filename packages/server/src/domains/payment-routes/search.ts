/**
 * Looks for a payment that some conditions match and others do not. It fixes one operand after another and leaves a
 * branch as soon as one goal cannot be met any more. The effort has an end: a search that reaches it says that it
 * does not know, and nothing is claimed.
 */

import { type Cells, cellsOf } from './cells.ts'
import { compileLeaf, type Holds, leavesOf } from './conditions.ts'
import type { Operands } from './operands.ts'
import type { Condition, Leaf } from './payment-route.ts'

/** A condition, and whether it shall match. */
export type Goal = { readonly formula: Formula; readonly wanted: boolean }
export type Found = { readonly is: 'yes'; readonly example: Operands } | { readonly is: 'no' | 'not_known' }

/** A condition whose leaves know their operand by its number, and whether they say the same of every cell. */
export type Formula =
  | { readonly is: 'all' | 'any'; readonly parts: readonly Formula[] }
  | { readonly is: 'not'; readonly part: Formula }
  | { readonly is: 'leaf'; readonly operand: number; readonly holds: Holds; readonly always: boolean | null }

const unknown = -1
const worthComparing = 50

export class Universe {
  readonly #fields: readonly string[]
  readonly #cells: readonly Cells[]
  /** What is left of the effort, in looks at a leaf. */
  #left: number

  constructor(conditions: readonly Condition[], effort: number) {
    const leaves = conditions.flatMap(leavesOf)
    this.#fields = [...new Set(leaves.map(({ field }) => field))]
    this.#cells = this.#fields.map((field) => cellsOf(field, leaves))
    this.#left = effort
  }

  get isExhausted(): boolean {
    return this.#left <= 0
  }

  formulaOf(condition: Condition): Formula {
    if ('all' in condition) return { is: 'all', parts: condition.all.map((part) => this.formulaOf(part)) }
    if ('any' in condition) return { is: 'any', parts: condition.any.map((part) => this.formulaOf(part)) }
    if ('not' in condition) return { is: 'not', part: this.formulaOf(condition.not) }
    return this.#leafOf(condition)
  }

  #leafOf(leaf: Leaf): Formula {
    const operand = this.#fields.indexOf(leaf.field)
    const holds = compileLeaf(leaf)
    const cells = this.#cells[operand] as Cells
    // A long list of cells was made by conditions that tell them apart.
    const says = cells.length > worthComparing ? [true, false] : [...new Set(cells.map(holds))]
    return { is: 'leaf', operand, holds, always: says.length === 1 ? (says[0] as boolean) : null }
  }

  find(goals: readonly Goal[]): Found {
    if (this.isExhausted) return { is: 'not_known' }
    const chosen = this.#fields.map(() => unknown)
    const found = this.#meet(goals, chosen)
    // What was found holds, whatever effort it took.
    if (found) return { is: 'yes', example: this.#exampleOf(chosen) }
    return { is: this.isExhausted ? 'not_known' : 'no' }
  }

  /** `chosen` holds the number of a cell per operand. Goals that are met stay met, whatever is chosen later. */
  #meet(goals: readonly Goal[], chosen: number[]): boolean {
    const open: Goal[] = []
    for (const goal of goals) {
      const said = this.#truth(goal.formula, chosen)
      if (said === null) open.push(goal)
      else if (said !== goal.wanted) return false
    }
    const [next] = open
    if (next === undefined) return true
    const operand = this.#undecidedIn(next.formula, chosen)
    for (const cell of (this.#cells[operand] as Cells).keys()) {
      if (this.isExhausted) break
      chosen[operand] = cell
      if (this.#meet(open, chosen)) return true
    }
    chosen[operand] = unknown
    return false
  }

  /** Null while it depends on what is not chosen yet. */
  #truth(formula: Formula, chosen: readonly number[]): boolean | null {
    if (formula.is === 'leaf') {
      this.#left -= 1
      const cell = chosen[formula.operand] as number
      return cell === unknown ? formula.always : formula.holds((this.#cells[formula.operand] as Cells)[cell])
    }
    if (formula.is === 'not') {
      const said = this.#truth(formula.part, chosen)
      return said === null ? null : !said
    }
    // One part decides: a false one among `all`, a true one among `any`.
    const deciding = formula.is === 'any'
    let depends = false
    for (const part of formula.parts) {
      const said = this.#truth(part, chosen)
      if (said === deciding) return deciding
      depends ||= said === null
    }
    return depends ? null : !deciding
  }

  /** An operand on which the formula still depends. */
  #undecidedIn(formula: Formula, chosen: readonly number[]): number {
    if (formula.is === 'leaf') return formula.operand
    if (formula.is === 'not') return this.#undecidedIn(formula.part, chosen)
    const part = formula.parts.find((one) => this.#truth(one, chosen) === null) as Formula
    return this.#undecidedIn(part, chosen)
  }

  /** Operands on which nothing depends are not in it. */
  #exampleOf(chosen: readonly number[]): Operands {
    const known = this.#fields.flatMap((field, operand) => {
      const cell = chosen[operand] as number
      return cell === unknown ? [] : [[field, (this.#cells[operand] as Cells)[cell]] as const]
    })
    return Object.fromEntries(known)
  }
}
