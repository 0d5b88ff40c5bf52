// What the differences between two reports mean for whoever has the older version: which of them break a
// program that compiled and ran. Pure.

import { alternativesOf, isLiteral, type Signature, signatureOf } from './type-text.ts'

export type Change = {
  /** `CreateCustomer.email`. */
  readonly place: string
  readonly isBreaking: boolean
  /** What changed, in a few words. */
  readonly what: string
}

type Line = { readonly isOptional: boolean; readonly type: string; readonly sides: readonly string[] }

export function changesBetween(before: string, after: string): Change[] {
  const [earlier, later] = [linesOf(before), linesOf(after)]
  const gone = [...earlier.keys()].filter((place) => !later.has(place))
  const added = [...later].filter(([place]) => !earlier.has(place))
  const kept = [...earlier].flatMap(([place, line]) => {
    const now = later.get(place)
    return now === undefined ? [] : [{ place, line, now }]
  })
  return [
    ...gone
      .filter((place) => !gone.includes(parentOf(place)))
      .map((place) => ({ place, isBreaking: true, what: 'is gone' })),
    // What is new inside of something new was nobody's.
    ...added.filter(([place]) => earlier.has(parentOf(place))).map(([place, line]) => addition(place, line)),
    ...added.filter(([place]) => !place.includes('.')).map(([place, line]) => addition(place, line)),
    ...kept.flatMap(({ place, line, now }) => changeOf(place, line, now)),
  ]
}

export function versionOf(report: string): string {
  return /version (\d+\.\d+\.\d+)/.exec(report)?.[1] ?? '0.0.0'
}

/** Whether a version may break who has the earlier one: by its first number, or before 1.0 by its second. */
export function mayBreak(earlier: string, later: string): boolean {
  const [before = [], after = []] = [earlier, later].map((version) => version.split('.').map(Number))
  return before[0] !== after[0] || (after[0] === 0 && before[1] !== after[1])
}

/** An export stands by its name, a member under it. */
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

function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('.'))).replace(/\[\]$/, '')
}

function addition(place: string, { isOptional, sides }: Line): Change {
  const isBreaking = place.includes('.') && !isOptional && sides.includes('taken')
  return { place, isBreaking, what: isBreaking ? 'is new and required' : 'is new' }
}

function changeOf(place: string, before: Line, after: Line): Change[] {
  const isTaken = after.sides.includes('taken')
  const isGiven = after.sides.includes('given')
  const found: Change[] = []
  if (before.isOptional !== after.isOptional)
    found.push({
      place,
      isBreaking: after.isOptional ? isGiven : isTaken,
      what: after.isOptional ? 'may be missing now' : 'is required now',
    })
  if (before.type === after.type) return found
  const [was, is] = [signatureOf(before.type), signatureOf(after.type)]
  const isBreaking =
    was !== null && is !== null
      ? breaksCallers(was, is)
      : (isTaken && takesLess(before.type, after.type)) || (isGiven && givesMore(before.type, after.type))
  return [...found, { place, isBreaking, what: `was ${short(before.type)} and is ${short(after.type)}` }]
}

function breaksCallers(was: Signature, is: Signature): boolean {
  const isNarrower = was.parameters.some(({ type, isOptional }, nth) => {
    const now = is.parameters[nth]
    return now === undefined || takesLess(type, now.type) || (isOptional && !now.isOptional)
  })
  const asksMore = is.parameters.slice(was.parameters.length).some(({ isOptional }) => !isOptional)
  return isNarrower || asksMore || givesMore(was.returned, is.returned)
}

/** Something that was accepted is not any more. */
function takesLess(before: string, after: string): boolean {
  const now = alternativesOf(after)
  return alternativesOf(before).some(
    (one) => !now.includes(one) && !(isLiteral(one) && now.includes('string')),
  )
}

/** Something may come that could not. New values of a text are expected: callers leave what they do not know alone. */
function givesMore(before: string, after: string): boolean {
  const known = alternativesOf(before)
  return alternativesOf(after).some((one) => !known.includes(one) && !isLiteral(one))
}

function short(type: string): string {
  return `\`${type.length > 60 ? `${type.slice(0, 57)}...` : type}\``
}
