/**
 * Versions of the API. Handlers know the newest shape alone; a change between two versions is one entry
 * that brings old requests up and new answers down. Requests climb from the caller's version, answers
 * and events descend to it.
 */
import { assert } from '../../kernel/assert.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'

export type VersionChange = {
  /** The first version that has the new shape. */
  readonly version: string
  /** A sentence for the changelog. */
  readonly about: string
  /** Operations and event types it concerns: exact, or `customers.*`. */
  readonly concerns: readonly string[]
  readonly request: (old: JsonObject) => JsonObject
  readonly response: (newer: JsonObject) => JsonObject
  /** Members that old requests call otherwise, newest name first: those are refused there, and faults point at these. */
  readonly renamed?: { readonly [newest: string]: string }
}

export type JsonObject = { readonly [member: string]: unknown }

export type Versions = {
  readonly current: string
  readonly all: readonly string[]
  requireKnown(version: string): string
  /** From the caller's version to the newest. */
  up(version: string, name: string, body: unknown): unknown
  /** A pointer into the newest shape, as one into the caller's. */
  pointer(version: string, name: string, pointer: string): string
  /** From the newest to the caller's version. */
  down(version: string, name: string, body: unknown): unknown
}

/** `oldest` is the version before the first change; the newest is that of the last. */
export function createVersions(oldest: string, changes: readonly VersionChange[]): Versions {
  const all = [oldest, ...new Set(changes.map((change) => change.version))]
  assert(all.toSorted().join() === all.join(), 'Changes stand in the order of their versions, oldest first.')
  const current = all.at(-1) as string
  const after = (version: string, name: string) =>
    changes.filter((change) => change.version > version && concerns(change, name))

  return {
    current,
    all,
    requireKnown(version) {
      if (all.includes(version)) return version
      return refuse('unknown_version', {
        detail: `There is no version ${version.slice(0, 20)}. Known: ${all.join(', ')}.`,
      })
    },
    up: (version, name, body) =>
      // A request is not validated yet: its entries may be anything, and no operation takes a list.
      isObject(body) ? after(version, name).reduce(climb, body) : body,
    pointer: (version, name, pointer) =>
      after(version, name).reduceRight((place, { renamed = {} }) => {
        const [, first = '', ...rest] = place.split('/')
        return ['', renamed[first] ?? first, ...rest].join('/')
      }, pointer),
    down: (version, name, body) =>
      after(version, name).reduceRight((shape, change) => eachObject(shape, change.response), body),
  }
}

function climb(shape: JsonObject, { renamed = {}, request }: VersionChange): JsonObject {
  for (const [newest, old] of Object.entries(renamed)) {
    // The old version has no such member, and members that do not exist are refused.
    if (Object.hasOwn(shape, newest)) refuseMember(`/${newest}`, 'unknown_member', `did you mean ${old}?`)
  }
  return request(shape)
}

function concerns(change: VersionChange, name: string): boolean {
  return change.concerns.some((pattern) =>
    pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  )
}

/** A change is written for one object; in a list it applies to each entry. */
function eachObject(body: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (!isObject(body)) return body
  if (body.object === 'list' && Array.isArray(body.data)) {
    return { ...body, data: body.data.map((entry) => change(entry)) }
  }
  return change(body)
}

function isObject(body: unknown): body is JsonObject {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}
