// The text of a type, taken apart as far as it takes to compare two of them.

import { parseSync } from 'oxc-parser'
import type { Node } from './declarations.ts'

type Parameter = { readonly type: string; readonly isOptional: boolean }
export type Signature = { readonly parameters: readonly Parameter[]; readonly returned: string }

const head = 'type X = '

function parsed(type: string): { readonly node: Node; textOf(node: Node): string } {
  const text = head + type
  const [declared] = parseSync('type.d.ts', text).program.body as unknown as Node[]
  return { node: declared?.typeAnnotation as Node, textOf: ({ start, end }) => text.slice(start, end) }
}

/** What stands between the bars of a union; of anything else, itself. Undefined is said by the question mark. */
export function alternativesOf(type: string): string[] {
  const { node, textOf } = parsed(type)
  const parts = node?.type === 'TSUnionType' ? (node.types as Node[]).map(textOf) : [type]
  return parts.filter((part) => part !== 'undefined')
}

/** Null if it is not the type of a function. */
export function signatureOf(type: string): Signature | null {
  const { node, textOf } = parsed(type)
  if (node?.type !== 'TSFunctionType') return null
  const parameters = (node.params as Node[]).map((parameter) => ({
    type: textOf((parameter.typeAnnotation as Node).typeAnnotation as Node),
    isOptional: parameter.optional === true,
  }))
  return { parameters, returned: textOf((node.returnType as Node).typeAnnotation as Node) }
}

export function isLiteral(type: string): boolean {
  return /^(['"]).*\1$/.test(type)
}
