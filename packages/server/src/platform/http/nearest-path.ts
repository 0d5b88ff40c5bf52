/** Suggests a path for one that does not exist. No side effects. */
import { closest, editDistance } from '../../kernel/closest.ts'

/** Prefixes that other APIs have, and that callers therefore often send. */
const prefixes = /^\/(?:api\/v\d+|api|v\d+)(?=\/)/

/**
 * The known path whose fixed parts are closest to those of this path; null if none is close. Parameters are
 * written as `:payment_id` in `known` and as `{payment_id}` in the result. Values that the caller sent for
 * them are ignored.
 */
export function nearestPath(path: string, known: readonly string[]): string | null {
  const parts = path.replace(prefixes, '').split('/').filter(Boolean)
  const [best] = known
    .flatMap((candidate) => {
      const distance = distanceBetween(parts, candidate.split('/').filter(Boolean))
      return distance === null ? [] : [{ candidate, distance }]
    })
    .toSorted((a, b) => a.distance - b.distance)
  return best === undefined ? null : best.candidate.replaceAll(/:(\w+)/g, '{$1}')
}

/** The number of typos in the fixed parts; null if a part is a different word. */
function distanceBetween(parts: readonly string[], candidateParts: readonly string[]): number | null {
  if (parts.length !== candidateParts.length) return null
  let distance = 0
  for (const [index, word] of candidateParts.entries()) {
    const part = parts[index] as string
    if (word.startsWith(':')) continue
    if (closest(part, [word]) === null) return null
    distance += editDistance(part, word)
  }
  return distance
}
