/**
 * Validates a route beyond the schema: condition trees, and members that depend on each other. All errors are
 * reported with their location. A definition that passes can be compiled.
 */
import type { Fault } from '../../../../kernel/errors.ts'
import { accountOfCostField } from '../engine/estimated-cost.ts'
import {
  expectedPrefixUnlessValid,
  expectedUnlessValid,
  fieldNames,
  operandOf,
  operatorsOf,
  type Shape,
} from '../engine/operands.ts'
import { type Example, maxCounts, type Operator } from '../payment-route.ts'
import { validateAction } from './validate-action.ts'

/** Records a validation error. */
type AddError = (pointer: string, code: Fault['code'], detail: string) => void

/** A definition as sent: the schema has checked its outline, but not its trees. */
export type Outline = {
  readonly rules: readonly { readonly name: string; readonly when: unknown; readonly then: unknown }[]
  readonly default: unknown
  readonly examples: readonly Pick<Example, 'name' | 'payment'>[]
}

export function definitionErrors({ rules, default: defaultAction, examples }: Outline): readonly Fault[] {
  const faults: Fault[] = []
  const addError: AddError = (pointer, code, detail) => faults.push({ pointer, code, detail })
  checkNames(rules, '/rules', addError)
  checkNames(examples, '/examples', addError)
  for (const [index, rule] of rules.entries()) {
    const pointer = `/rules/${index}`
    const leaves = checkCondition(rule.when, { pointer: `${pointer}/when`, depth: 1, addError })
    if (leaves > maxCounts.conditions) {
      addError(
        `${pointer}/when`,
        'too_many',
        `must have at most ${maxCounts.conditions} conditions, but has ${leaves}`,
      )
    }
    validateAction(rule.then, `${pointer}/then`, addError)
  }
  validateAction(defaultAction, '/default', addError)
  for (const [index, { payment }] of examples.entries()) {
    faults.push(...paymentErrors(payment, `/examples/${index}/payment`))
  }
  return faults.slice(0, 50)
}

/**
 * Names must be unique: diffs match rules and examples by name, and the statistics of adaptive routing are stored by
 * rule name.
 */
function checkNames(named: readonly { readonly name: string }[], pointer: string, addError: AddError): void {
  const names = new Set<string>()
  for (const [index, { name }] of named.entries()) {
    if (names.has(name)) addError(`${pointer}/${index}/name`, 'not_together', 'is a duplicate name')
    names.add(name)
  }
}

/** The errors of a described payment: unknown operands, invalid values and missing required operands. */
export function paymentErrors(payment: { readonly [field: string]: unknown }, pointer: string): Fault[] {
  const faults = Object.entries(payment).flatMap(([field, value]): Fault[] => {
    const errorPointer = `${pointer}/${pointerPart(field)}`
    const operand = operandOf(field)
    if (accountOfCostField(field) !== null)
      return [{ pointer: errorPointer, code: 'unknown_member', detail: calculatedField }]
    if (operand === null) return [{ pointer: errorPointer, code: 'unknown_member', detail: unknownField }]
    const expected = expectedUnlessValid(operand.shape, value)
    return expected === null
      ? []
      : [{ pointer: errorPointer, code: 'bad_format', detail: `must be ${expected}` }]
  })
  const missing = ['amount', 'currency'].filter((field) => !Object.hasOwn(payment, field))
  return [
    ...missing.map((field): Fault => {
      return { pointer: `${pointer}/${field}`, code: 'required', detail: 'is required' }
    }),
    ...faults,
  ]
}

type Position = { readonly pointer: string; readonly depth: number; readonly addError: AddError }

/** Returns the number of leaf conditions. */
function checkCondition(node: unknown, position: Position): number {
  const { pointer, depth, addError } = position
  if (!isObject(node)) return invalid(addError, pointer, 'wrong_type', 'must be an object')
  if (depth > maxCounts.depth) {
    return invalid(addError, pointer, 'too_many', `must not be nested deeper than ${maxCounts.depth} levels`)
  }
  if (hasOnly(node, ['not'])) return checkCondition(node.not, childPosition(position, 'not'))
  if (hasOnly(node, ['all'])) return checkList(node.all, { ...position, pointer: `${pointer}/all` }, 0)
  if (hasOnly(node, ['any'])) return checkList(node.any, { ...position, pointer: `${pointer}/any` }, 1)
  if (!hasOnly(node, ['field', 'op', 'value'])) {
    return invalid(
      addError,
      pointer,
      'bad_format',
      'must contain either exactly one of `all`, `any` and `not`, or all three of `field`, `op` and `value`',
    )
  }
  checkLeaf(node, pointer, addError)
  return 1
}

/** An empty `all` matches every payment; an empty `any` would match none. */
function checkList(entries: unknown, position: Position, minEntries: 0 | 1): number {
  const { pointer, addError } = position
  if (!Array.isArray(entries)) return invalid(addError, pointer, 'wrong_type', 'must be an array')
  if (entries.length < minEntries)
    return invalid(addError, pointer, 'too_short', 'must have at least 1 entry')
  if (entries.length > maxCounts.conditions) {
    return invalid(addError, pointer, 'too_many', `must have at most ${maxCounts.conditions} entries`)
  }
  return entries.reduce(
    (sum: number, entry, index) => sum + checkCondition(entry, childPosition(position, index)),
    0,
  )
}

function childPosition({ pointer, depth, addError }: Position, name: string | number): Position {
  return { pointer: `${pointer}/${name}`, depth: depth + 1, addError }
}

function checkLeaf({ field, op, value }: Record<string, unknown>, pointer: string, addError: AddError): void {
  const operand = typeof field === 'string' ? operandOf(field) : null
  if (operand === null) {
    addError(`${pointer}/field`, 'not_in_list', unknownField)
    return
  }
  const allowed = operatorsOf(operand.shape)
  if (!allowed.includes(op as Operator)) {
    addError(`${pointer}/op`, 'not_in_list', `must be one of ${allowed.join(', ')} for ${field}`)
    return
  }
  const expected = expectedOperandUnlessValid(operand.shape, op as Operator, value)
  if (expected !== null) addError(`${pointer}/value`, 'bad_format', `must be ${expected}`)
}

const unknownField = `must be one of ${fieldNames.join(', ')}, metadata.<key>, customer.metadata.<key> or estimated_cost.<provider_account_id>`
const calculatedField = 'is calculated from the costs of the account: leave it out'

/** The expected format, to complete "must be …"; null if the value is valid. */
function expectedOperandUnlessValid(shape: Shape, op: Operator, value: unknown): string | null {
  if (op === 'exists') return typeof value === 'boolean' ? null : 'true or false'
  if (op === 'starts_with') return expectedPrefixUnlessValid(shape, value)
  if (op === 'between') return expectedBoundsUnlessValid(shape, value)
  if (op !== 'in' && op !== 'not_in') return expectedUnlessValid(shape, value)
  if (!Array.isArray(value) || value.length === 0 || value.length > maxCounts.values) {
    return `an array of 1 to ${maxCounts.values} values`
  }
  const [expected] = value.map((entry) => expectedUnlessValid(shape, entry)).filter((text) => text !== null)
  return expected === undefined ? null : `an array whose entries are each ${expected}`
}

function expectedBoundsUnlessValid(shape: Shape, value: unknown): string | null {
  if (!Array.isArray(value) || value.length !== 2)
    return 'an array of two numbers, the minimum and the maximum'
  const expected = expectedUnlessValid(shape, value[0]) ?? expectedUnlessValid(shape, value[1])
  if (expected !== null) return `an array of two entries, each ${expected}`
  return value[0] <= value[1] ? null : 'an array of two numbers, the smaller one first'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasOnly(node: object, members: readonly string[]): boolean {
  const names = Object.keys(node)
  return names.length === members.length && members.every((member) => names.includes(member))
}

function invalid(addError: AddError, pointer: string, code: Fault['code'], detail: string): number {
  addError(pointer, code, detail)
  return 0
}

function pointerPart(name: string): string {
  return name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}
