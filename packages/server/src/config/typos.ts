/** Detects misspelled settings, which would otherwise be ignored silently. */
import { editDistance } from '../kernel/closest.ts'
import type { Environment } from './setting.ts'

const prefix = 'SWITCHYARD_'

/** Messages about unknown variables whose names are similar to settings that are not set. */
export function noticesOf(env: Environment, known: readonly string[]): readonly string[] {
  const unset = known.filter((name) => !env[name])
  return Object.keys(env)
    .filter((name) => env[name] && !known.includes(name))
    .flatMap((name) => {
      const suggestion = nearest(name, unset)
      return suggestion === null
        ? []
        : [`${name} is set, but is not a known setting. Did you mean ${suggestion}?`]
    })
}

function nearest(name: string, known: readonly string[]): string | null {
  const normalized = name.toUpperCase().replace(prefix, '').replaceAll('-', '_')
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(normalized, candidate) }))
    .filter(({ candidate, distance }) => distance <= maxDistance(candidate))
    .toSorted((a, b) => a.distance - b.distance)
  return best?.candidate ?? null
}

/** A short name with two different letters is probably another word. */
const maxDistance = (name: string) => (name.length < 10 ? 1 : 2)
