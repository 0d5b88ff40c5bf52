// On which side of a call each type stands. What breaks a caller depends on it: a member that becomes required
// breaks those who hand the object over, one that may be missing breaks those who get it.

import { type Declarations, identifierOf, type Node } from './declarations.ts'

export type Side = 'taken' | 'given'

export function sidesOf({ byName, exported }: Declarations): Map<string, Set<Side>> {
  const sides = new Map<string, Set<Side>>()
  const waiting: [string, Side][] = []
  const meet = (name: string, side: Side) => {
    const known = sides.get(name) ?? new Set()
    if (!byName.has(name) || known.has(side)) return
    sides.set(name, known.add(side))
    waiting.push([name, side])
  }
  // Who uses the package begins with what is there when it runs.
  for (const name of [...exported.values()].flat())
    if (!/^TS(Interface|TypeAlias)/.test(byName.get(name)?.node.type ?? '')) meet(name, 'given')
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [name, side] = next
    walk(byName.get(name)?.node as Node, side, (met, on) => {
      const made = byName.get(met)?.node
      if (made?.type === 'TSDeclareFunction') walk(made.returnType as Node, on, meet)
      else meet(met, on)
    })
  }
  return sides
}

type Meet = (name: string, side: Side) => void

const other = { taken: 'given', given: 'taken' } as const

function walk(node: Node, side: Side, meet: Meet): void {
  // Whoever is asked for a name of a member hands over a text.
  if (node.type === 'TSTypeOperator' && node.operator === 'keyof') return
  const named = node[naming[node.type] ?? '']
  if (isNode(named)) meet(nameOf(named), side)
  const isCalled = Array.isArray(node.params) && node.returnType !== undefined
  for (const [member, value] of Object.entries(node)) {
    const on = isCalled && member === 'params' ? other[side] : side
    for (const child of [value].flat().filter(isNode)) walk(child, on, meet)
  }
}

/** The member that holds the name, of nodes that name another declaration. */
const naming: Readonly<Record<string, string>> = {
  TSTypeReference: 'typeName',
  TSTypeQuery: 'exprName',
  TSInterfaceHeritage: 'expression',
}

function nameOf(node: Node): string {
  return node.type === 'TSQualifiedName' ? nameOf(node.right as Node) : identifierOf(node)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
