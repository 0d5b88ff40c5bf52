// Parses the text of a type as far as needed to compare two types.

import { parseSync } from 'oxc-parser'
import type { Node } from './declarations.ts'

type Parameter = { readonly type: string; readonly isOptional: boolean }
export type Signature = { readonly parameters: readonly Parameter[]; readonly returned: string }

const prefix = 'type X = '

function parseType(type: string): { readonly node: Node; textOf(node: Node): string } {
  const text = prefix + type
  const [declared] = parseSync('type.d.ts', text).program.body as unknown as Node[]
  return { node: declared?.typeAnnotation as Node, textOf: ({ start, end }) => text.slice(start, end) }
}

/** The members of a union; for any other type, the type itself. `undefined` is omitted: optional members have a `?`. */
export function alternativesOf(type: string): string[] {
  const { node, textOf } = parseType(type)
  const parts = node?.type === 'TSUnionType' ? (node.types as Node[]).map(textOf) : [type]
  return parts.filter((part) => part !== 'undefined')
}

/** Null if it is not a function type. */
export function signatureOf(type: string): Signature | null {
  const { node, textOf } = parseType(type)
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
