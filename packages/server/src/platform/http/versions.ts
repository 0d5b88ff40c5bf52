/**
 * API versions. Handlers implement only the newest version. A change between two versions is one entry that
 * upgrades old requests and downgrades new responses. Requests are upgraded from the version of the caller;
 * responses and events are downgraded to it.
 */
import { assert } from '../../kernel/assert.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'

export type VersionChange = {
  /** The first version with the new shape. */
  readonly version: string
  /** A sentence for the changelog. */
  readonly about: string
  /** The affected operations and event types: exact, or `customers.*`. */
  readonly concerns: readonly string[]
  readonly request: (old: JsonObject) => JsonObject
  readonly response: (newer: JsonObject) => JsonObject
  /** Renamed members, by their newest name. Old requests must use the old name, and errors point to it. */
  readonly renamed?: { readonly [newest: string]: string }
}

export type JsonObject = { readonly [member: string]: unknown }

export type Versions = {
  readonly current: string
  readonly all: readonly string[]
  requireKnown(version: string): string
  /** Upgrades a request body from the version of the caller to the newest. */
  up(version: string, name: string, body: unknown): unknown
  /** Converts a JSON pointer for the newest shape to one for the shape of the caller. */
  pointer(version: string, name: string, pointer: string): string
  /** Downgrades a body from the newest version to the caller's version. */
  down(version: string, name: string, body: unknown): unknown
}

/** `oldest` is the version before the first change. The newest version is the version of the last change. */
export function createVersions(oldest: string, changes: readonly VersionChange[]): Versions {
  const all = [oldest, ...new Set(changes.map((change) => change.version))]
  assert(all.toSorted().join() === all.join(), 'List changes in the order of their versions, oldest first.')
  const current = all.at(-1) as string
  const changesAfter = (version: string, name: string) =>
    changes.filter((change) => change.version > version && concerns(change, name))

  return {
    current,
    all,
    requireKnown(version) {
      if (all.includes(version)) return version
      return refuse('unknown_version', {
        detail: `There is no version ${version.slice(0, 20).toWellFormed()}. Available versions: ${all.join(', ')}.`,
      })
    },
    up: (version, name, body) =>
      // Unlike in `down`, lists need no conversion: no request body is a list object. The body is not validated yet.
      isObject(body) ? changesAfter(version, name).reduce(upgrade, body) : body,
    pointer: (version, name, pointer) =>
      changesAfter(version, name).reduceRight((current, { renamed = {} }) => {
        const [, first = '', ...rest] = current.split('/')
        return ['', renamed[first] ?? first, ...rest].join('/')
      }, pointer),
    down: (version, name, body) =>
      changesAfter(version, name).reduceRight((shape, change) => eachObject(shape, change.response), body),
  }
}

function upgrade(shape: JsonObject, { renamed = {}, request }: VersionChange): JsonObject {
  for (const [newest, old] of Object.entries(renamed)) {
    // The old version does not have this member, and unknown members are rejected.
    if (Object.hasOwn(shape, newest))
      refuseMember(
        `/${newest}`,
        'unknown_member',
        `is not a known member in this version: did you mean \`${old}\`?`,
      )
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
