/**
 * Searches for a payment that some conditions match and others do not. It assigns operands one at a time and abandons a
 * branch once a goal cannot be met. A search that exhausts its budget returns `unknown`, and nothing is reported.
 */

import { compileLeaf, leavesOf, type ValueTest } from '../engine/conditions.ts'
import type { Operands } from '../engine/operands.ts'
import type { Condition, Leaf } from '../payment-route.ts'
import { type Cells, cellsOf } from './cells.ts'

/** A condition, and whether it should match. */
export type Goal = { readonly formula: Formula; readonly expected: boolean }
export type SearchResult =
  | { readonly status: 'found'; readonly example: Operands }
  | { readonly status: 'impossible' | 'unknown' }

/**
 * A condition whose leaves refer to operands by index. `constantResult` is set if a leaf has the same result
 * for every cell.
 */
export type Formula =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Formula[] }
  | { readonly kind: 'not'; readonly part: Formula }
  | {
      readonly kind: 'leaf'
      readonly operand: number
      readonly test: ValueTest
      readonly constantResult: boolean | null
    }

const unset = -1
const maxComparedCells = 50

export class SearchSpace {
  readonly #fields: readonly string[]
  readonly #fieldIndexes: ReadonlyMap<string, number>
  readonly #cells: readonly Cells[]
  /** Rules are evaluated repeatedly, so their formulas are cached. */
  readonly #formulas = new Map<Condition, Formula>()
  readonly #expand: (leaf: Leaf) => Condition
  /** The remaining budget, in evaluations of a part of a condition. */
  #remaining: number

  /** `expand` rewrites a condition on a derived operand as conditions on the operands it is derived from. */
  constructor(
    conditions: readonly Condition[],
    budget: number,
    expand: (leaf: Leaf) => Condition = (leaf) => leaf,
  ) {
    this.#expand = expand
    const leaves = conditions.flatMap(leavesOf).flatMap((leaf) => leavesOf(expand(leaf)))
    const byField = Map.groupBy(leaves, ({ field }) => field)
    this.#fields = [...byField.keys()]
    this.#fieldIndexes = new Map(this.#fields.map((field, index) => [field, index]))
    this.#cells = this.#fields.map((field) => cellsOf(field, byField.get(field) as readonly Leaf[]))
    this.#remaining = budget
  }

  get isExhausted(): boolean {
    return this.#remaining <= 0
  }

  formulaOf(condition: Condition): Formula {
    const cached = this.#formulas.get(condition)
    if (cached !== undefined) return cached
    const formula = this.#compile(condition)
    this.#formulas.set(condition, formula)
    return formula
  }

  #compile(condition: Condition): Formula {
    if ('all' in condition) return { kind: 'all', parts: condition.all.map((part) => this.formulaOf(part)) }
    if ('any' in condition) return { kind: 'any', parts: condition.any.map((part) => this.formulaOf(part)) }
    if ('not' in condition) return { kind: 'not', part: this.formulaOf(condition.not) }
    const expanded = this.#expand(condition)
    return expanded === condition ? this.#leafOf(condition) : this.#compile(expanded)
  }

  #leafOf(leaf: Leaf): Formula {
    const operand = this.#fieldIndexes.get(leaf.field) as number
    const test = compileLeaf(leaf)
    const cells = this.#cells[operand] as Cells
    // Many cells exist only because conditions tell them apart, so the leaf is almost never constant. Skip the
    // comparison.
    const results = cells.length > maxComparedCells ? [true, false] : [...new Set(cells.map(test))]
    return {
      kind: 'leaf',
      operand,
      test,
      constantResult: results.length === 1 ? (results[0] as boolean) : null,
    }
  }

  find(goals: readonly Goal[]): SearchResult {
    if (this.isExhausted) return { status: 'unknown' }
    // Each operand is visited before the search and once more for the example.
    this.#remaining -= this.#fields.length
    const chosen = this.#fields.map(() => unset)
    const found = this.#meetGoals(goals, chosen)
    // A found example is valid even if it exhausted the budget.
    if (found) return { status: 'found', example: this.#exampleOf(chosen) }
    return { status: this.isExhausted ? 'unknown' : 'impossible' }
  }

  /** `chosen` has the cell index of each operand. Goals that are met stay met, whatever is chosen later. */
  #meetGoals(goals: readonly Goal[], chosen: number[]): boolean {
    const unmetGoals: Goal[] = []
    for (const goal of goals) {
      const result = this.#evaluate(goal.formula, chosen)
      if (result === null) unmetGoals.push(goal)
      else if (result !== goal.expected) return false
    }
    const [next] = unmetGoals
    if (next === undefined) return true
    const operand = this.#undecidedIn(next.formula, chosen)
    for (const cell of (this.#cells[operand] as Cells).keys()) {
      if (this.isExhausted) break
      chosen[operand] = cell
      if (this.#meetGoals(unmetGoals, chosen)) return true
    }
    chosen[operand] = unset
    return false
  }

  /** Returns null while the result depends on operands that are not chosen yet. */
  #evaluate(formula: Formula, chosen: readonly number[]): boolean | null {
    this.#remaining -= 1
    if (formula.kind === 'leaf') {
      const cell = chosen[formula.operand] as number
      return cell === unset
        ? formula.constantResult
        : formula.test((this.#cells[formula.operand] as Cells)[cell])
    }
    if (formula.kind === 'not') {
      const result = this.#evaluate(formula.part, chosen)
      return result === null ? null : !result
    }
    // One part decides: a false one in `all`, a true one in `any`.
    const deciding = formula.kind === 'any'
    let isUndecided = false
    for (const part of formula.parts) {
      const result = this.#evaluate(part, chosen)
      if (result === deciding) return deciding
      isUndecided ||= result === null
    }
    return isUndecided ? null : !deciding
  }

  /** Returns an operand on which the result still depends. */
  #undecidedIn(formula: Formula, chosen: readonly number[]): number {
    if (formula.kind === 'leaf') return formula.operand
    if (formula.kind === 'not') return this.#undecidedIn(formula.part, chosen)
    const undecided = formula.parts.find((part) => this.#evaluate(part, chosen) === null) as Formula
    return this.#undecidedIn(undecided, chosen)
  }

  /** The example contains only the operands that were chosen. */
  #exampleOf(chosen: readonly number[]): Operands {
    const assigned = this.#fields.flatMap((field, operand) => {
      const cell = chosen[operand] as number
      return cell === unset ? [] : [[field, (this.#cells[operand] as Cells)[cell]] as const]
    })
    return Object.fromEntries(assigned)
  }
}
