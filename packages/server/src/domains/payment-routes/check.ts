/**
 * What the shape of a body cannot tell about a route: trees of conditions, and members that belong together. Every
 * fault is told, with its place. What passes here can be compiled.
 */
import type { Fault } from '../../kernel/errors.ts'
import { checkAction } from './check-action.ts'
import { faultOfStart, faultOfValue, fieldNames, operandOf, operatorsOf, type Shape } from './operands.ts'
import { type Example, most, type Operator } from './payment-route.ts'

/** Notes a fault. */
type Tell = (pointer: string, code: Fault['code'], detail: string) => void

/** A definition as it was sent: its outline has the right shape, its trees may be anything. */
export type Outline = {
  readonly rules: readonly { readonly name: string; readonly when: unknown; readonly then: unknown }[]
  readonly default: unknown
  readonly examples: readonly Pick<Example, 'name' | 'payment'>[]
}

export function faultsOfDefinition({ rules, default: otherwise, examples }: Outline): readonly Fault[] {
  const faults: Fault[] = []
  const tell: Tell = (pointer, code, detail) => faults.push({ pointer, code, detail })
  checkNames(rules, '/rules', tell)
  checkNames(examples, '/examples', tell)
  for (const [at, rule] of rules.entries()) {
    const pointer = `/rules/${at}`
    const leaves = checkCondition(rule.when, { pointer: `${pointer}/when`, depth: 1, tell })
    if (leaves > most.conditions) {
      tell(
        `${pointer}/when`,
        'too_many',
        `must have at most ${most.conditions} conditions, and has ${leaves}`,
      )
    }
    checkAction(rule.then, `${pointer}/then`, tell)
  }
  checkAction(otherwise, '/default', tell)
  for (const [at, { payment }] of examples.entries()) {
    faults.push(...faultsOfPayment(payment, `/examples/${at}/payment`))
  }
  return faults.slice(0, 50)
}

/** Names are how people speak of rules, and how changes are told from moves. */
function checkNames(named: readonly { readonly name: string }[], pointer: string, tell: Tell): void {
  const seen = new Set<string>()
  for (const [at, { name }] of named.entries()) {
    if (seen.has(name)) tell(`${pointer}/${at}/name`, 'not_together', 'is the name of another one too')
    seen.add(name)
  }
}

/** Of a payment that is described: known operands with values of their shape, and what no payment can be without. */
export function faultsOfPayment(payment: { readonly [field: string]: unknown }, pointer: string): Fault[] {
  const faults = Object.entries(payment).flatMap(([field, value]): Fault[] => {
    const place = `${pointer}/${partOf(field)}`
    const operand = operandOf(field)
    if (operand === null) return [{ pointer: place, code: 'unknown_member', detail: unknownField }]
    const fault = faultOfValue(operand.shape, value)
    return fault === null ? [] : [{ pointer: place, code: 'bad_format', detail: `must be ${fault}` }]
  })
  const missing = ['amount', 'currency'].filter((field) => !Object.hasOwn(payment, field))
  return [
    ...missing.map((field): Fault => {
      return { pointer: `${pointer}/${field}`, code: 'required', detail: 'is required' }
    }),
    ...faults,
  ]
}

type Spot = { readonly pointer: string; readonly depth: number; readonly tell: Tell }

/** Gives how many conditions on operands it holds. */
function checkCondition(node: unknown, spot: Spot): number {
  const { pointer, depth, tell } = spot
  if (!isObject(node)) return told(tell, pointer, 'wrong_type', 'must be of type object')
  if (depth > most.depth) {
    return told(tell, pointer, 'too_many', `must not be nested deeper than ${most.depth} levels`)
  }
  if (hasOnly(node, ['not'])) return checkCondition(node.not, below(spot, 'not'))
  if (hasOnly(node, ['all'])) return checkList(node.all, { ...spot, pointer: `${pointer}/all` }, 0)
  if (hasOnly(node, ['any'])) return checkList(node.any, { ...spot, pointer: `${pointer}/any` }, 1)
  if (!hasOnly(node, ['field', 'op', 'value'])) {
    return told(tell, pointer, 'bad_format', 'must have all, any or not alone, or field, op and value')
  }
  checkLeaf(node, pointer, tell)
  return 1
}

/** No condition at all holds for every payment; no alternative at all would hold for none. */
function checkList(entries: unknown, spot: Spot, least: 0 | 1): number {
  const { pointer, tell } = spot
  if (!Array.isArray(entries)) return told(tell, pointer, 'wrong_type', 'must be of type array')
  if (entries.length < least) return told(tell, pointer, 'too_short', 'must have at least 1 entry')
  if (entries.length > most.conditions) {
    return told(tell, pointer, 'too_many', `must have at most ${most.conditions} entries`)
  }
  return entries.reduce((sum: number, entry, at) => sum + checkCondition(entry, below(spot, at)), 0)
}

function below({ pointer, depth, tell }: Spot, name: string | number): Spot {
  return { pointer: `${pointer}/${name}`, depth: depth + 1, tell }
}

function checkLeaf({ field, op, value }: Record<string, unknown>, pointer: string, tell: Tell): void {
  const operand = typeof field === 'string' ? operandOf(field) : null
  if (operand === null) {
    tell(`${pointer}/field`, 'not_in_list', unknownField)
    return
  }
  const allowed = operatorsOf(operand.shape)
  if (!allowed.includes(op as Operator)) {
    tell(`${pointer}/op`, 'not_in_list', `must be one of ${allowed.join(', ')} for ${field}`)
    return
  }
  const fault = faultOfWanted(operand.shape, op as Operator, value)
  if (fault !== null) tell(`${pointer}/value`, 'bad_format', `must be ${fault}`)
}

const unknownField = `must be one of ${fieldNames.join(', ')}, metadata.<key> or customer.metadata.<key>`

function faultOfWanted(shape: Shape, op: Operator, value: unknown): string | null {
  if (op === 'exists') return typeof value === 'boolean' ? null : 'true or false'
  if (op === 'starts_with') return faultOfStart(shape, value)
  if (op === 'between') return faultOfBounds(shape, value)
  if (op !== 'in' && op !== 'not_in') return faultOfValue(shape, value)
  if (!Array.isArray(value) || value.length === 0 || value.length > most.values) {
    return `a list of 1 to ${most.values} values`
  }
  const faults = value.map((entry) => faultOfValue(shape, entry)).filter((fault) => fault !== null)
  return faults.length === 0 ? null : `a list in which each is ${faults[0]}`
}

function faultOfBounds(shape: Shape, value: unknown): string | null {
  if (!Array.isArray(value) || value.length !== 2) return 'a list of two numbers, the least and the most'
  const fault = faultOfValue(shape, value[0]) ?? faultOfValue(shape, value[1])
  if (fault !== null) return `a list of two, each ${fault}`
  return value[0] <= value[1] ? null : 'a list of two numbers, the least first'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasOnly(node: object, members: readonly string[]): boolean {
  const names = Object.keys(node)
  return names.length === members.length && members.every((member) => names.includes(member))
}

function told(tell: Tell, pointer: string, code: Fault['code'], detail: string): number {
  tell(pointer, code, detail)
  return 0
}

function partOf(name: string): string {
  return name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}
