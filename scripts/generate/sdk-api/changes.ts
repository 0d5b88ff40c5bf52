// Classifies the differences between two API reports of the SDK by whether they break an existing program.

import { alternativesOf, isLiteral, type Signature, signatureOf } from './type-text.ts'

export type Change = {
  /** `CreateCustomer.email`. */
  readonly path: string
  readonly isBreaking: boolean
  /** What changed, in a few words. */
  readonly description: string
}

type Line = { readonly isOptional: boolean; readonly type: string; readonly sides: readonly string[] }

export function changesBetween(before: string, after: string): Change[] {
  const [earlier, later] = [linesOf(before), linesOf(after)]
  const removed = [...earlier.keys()].filter((path) => !later.has(path))
  const added = [...later].filter(([path]) => !earlier.has(path))
  const remaining = [...earlier].flatMap(([path, line]) => {
    const newLine = later.get(path)
    return newLine === undefined ? [] : [{ path, line, newLine }]
  })
  return [
    ...removed
      .filter((path) => !removed.includes(parentOf(path)))
      .map((path) => ({ path, isBreaking: true, description: 'is gone' })),
    // A required member of a new export breaks no existing program.
    ...added.filter(([path]) => earlier.has(parentOf(path))).map(([path, line]) => addition(path, line)),
    ...added.filter(([path]) => !path.includes('.')).map(([path, line]) => addition(path, line)),
    ...remaining.flatMap(({ path, line, newLine }) => changeOf(path, line, newLine)),
  ]
}

export function versionOf(report: string): string {
  return /version (\d+\.\d+\.\d+)/.exec(report)?.[1] ?? '0.0.0'
}

/** Whether a version can contain breaking changes: a new major version, or before 1.0 a new minor version. */
export function allowsBreakingChanges(earlier: string, later: string): boolean {
  const [before = [], after = []] = [earlier, later].map((version) => version.split('.').map(Number))
  return before[0] !== after[0] || (after[0] === 0 && before[1] !== after[1])
}

/** Parses a report. Members are keyed by the name of their export. */
function linesOf(report: string): Map<string, Line> {
  const lines = new Map<string, Line>()
  let [entry, owner, sides] = ['', '', [] as string[]]
  for (const text of report.split('\n')) {
    entry = /^import from (.*)$/.exec(text)?.[1]?.replace('@switchyard/sdk', '') ?? entry
    const [, name, side] = /^[a-z]+ (\w+)(?:<.*>)? \((.*)\)$/.exec(text) ?? []
    if (name !== undefined && side !== undefined) {
      owner = entry + name
      sides = side.split(', ')
      lines.set(owner, { isOptional: false, type: '', sides })
    }
    const [, member, mark, type] = /^ {2}(.+?)(\?)?: (.*)$/.exec(text) ?? []
    if (member !== undefined && type !== undefined)
      lines.set(`${owner}.${member}`, { isOptional: mark === '?', type, sides })
  }
  return lines
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'))).replace(/\[\]$/, '')
}

function addition(path: string, { isOptional, sides }: Line): Change {
  const isBreaking = path.includes('.') && !isOptional && sides.includes('input')
  return { path, isBreaking, description: isBreaking ? 'is new and required' : 'is new' }
}

function changeOf(path: string, before: Line, after: Line): Change[] {
  const isInput = after.sides.includes('input')
  const isOutput = after.sides.includes('output')
  const changes: Change[] = []
  if (before.isOptional !== after.isOptional)
    changes.push({
      path,
      isBreaking: after.isOptional ? isOutput : isInput,
      description: after.isOptional ? 'may be missing now' : 'is required now',
    })
  if (before.type === after.type) return changes
  const [oldSignature, newSignature] = [signatureOf(before.type), signatureOf(after.type)]
  const isBreaking =
    oldSignature !== null && newSignature !== null
      ? breaksCallers(oldSignature, newSignature)
      : (isInput && acceptsLess(before.type, after.type)) ||
        (isOutput && returnsMore(before.type, after.type))
  return [
    ...changes,
    { path, isBreaking, description: `was ${truncate(before.type)} and is ${truncate(after.type)}` },
  ]
}

function breaksCallers(before: Signature, after: Signature): boolean {
  const isNarrower = before.parameters.some(({ type, isOptional }, index) => {
    const parameter = after.parameters[index]
    return (
      parameter === undefined || acceptsLess(type, parameter.type) || (isOptional && !parameter.isOptional)
    )
  })
  const requiresMore = after.parameters.slice(before.parameters.length).some(({ isOptional }) => !isOptional)
  return isNarrower || requiresMore || returnsMore(before.returned, after.returned)
}

/** Whether something that was accepted before is rejected now. */
function acceptsLess(before: string, after: string): boolean {
  const accepted = alternativesOf(after)
  return alternativesOf(before).some(
    (alternative) =>
      !accepted.includes(alternative) && !(isLiteral(alternative) && accepted.includes('string')),
  )
}

/** Whether a new kind of value can be returned. New string values are allowed: callers must ignore unknown ones. */
function returnsMore(before: string, after: string): boolean {
  const known = alternativesOf(before)
  return alternativesOf(after).some((alternative) => !known.includes(alternative) && !isLiteral(alternative))
}

function truncate(type: string): string {
  return `\`${type.length > 60 ? `${type.slice(0, 57)}...` : type}\``
}
