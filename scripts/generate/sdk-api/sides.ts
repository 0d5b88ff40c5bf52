// Determines whether each type is used in requests or in responses. This decides which
// changes break callers: for request types, a member that becomes required; for response types, a member that
// becomes optional.

import { type Declarations, identifierOf, type Node } from './declarations.ts'

export type Side = 'input' | 'output'

export function sidesOf({ byName, exported }: Declarations): Map<string, Set<Side>> {
  const sides = new Map<string, Set<Side>>()
  const queue: [string, Side][] = []
  const addSide = (name: string, side: Side) => {
    const known = sides.get(name) ?? new Set()
    if (!byName.has(name) || known.has(side)) return
    sides.set(name, known.add(side))
    queue.push([name, side])
  }
  // Start from the exports that exist at run time.
  for (const name of [...exported.values()].flat())
    if (!/^TS(Interface|TypeAlias)/.test(byName.get(name)?.node.type ?? '')) addSide(name, 'output')
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [name, side] = next
    visit(byName.get(name)?.node as Node, side, (referenced, referencedSide) => {
      const declaration = byName.get(referenced)?.node
      if (declaration?.type === 'TSDeclareFunction')
        visit(declaration.returnType as Node, referencedSide, addSide)
      else addSide(referenced, referencedSide)
    })
  }
  return sides
}

type AddSide = (name: string, side: Side) => void

const opposite = { input: 'output', output: 'input' } as const

function visit(node: Node, side: Side, addSide: AddSide): void {
  // `keyof` accepts a string, not the members themselves.
  if (node.type === 'TSTypeOperator' && node.operator === 'keyof') return
  const nameNode = node[nameMembers[node.type] ?? '']
  if (isNode(nameNode)) addSide(nameOf(nameNode), side)
  const isFunction = Array.isArray(node.params) && node.returnType !== undefined
  for (const [member, value] of Object.entries(node)) {
    const childSide = isFunction && member === 'params' ? opposite[side] : side
    for (const child of [value].flat().filter(isNode)) visit(child, childSide, addSide)
  }
}

/** Node types that refer to another declaration, and the member that contains its name. */
const nameMembers: Readonly<Record<string, string>> = {
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
