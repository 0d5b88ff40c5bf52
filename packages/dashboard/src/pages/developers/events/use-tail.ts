/** Follows the stream of events for a page. They are gathered, so that hundreds in a second are four drawings. */
import type { Event } from '@switchyard/sdk'
import { useEffect, useReducer, useState } from 'react'
import { useApi } from '../../../api/workspace.tsx'
import { emptyTail, held, received, released, type Tail } from './tail-rows.ts'

type Step =
  | { readonly is: 'received'; readonly batch: readonly Event[] }
  | { readonly is: 'held' | 'released' | 'cleared' }

function stepped(tail: Tail, step: Step): Tail {
  if (step.is === 'received') return received(tail, step.batch)
  if (step.is === 'held') return held(tail)
  return step.is === 'released' ? released(tail) : { ...emptyTail, isHeld: tail.isHeld }
}

const gatherMs = 250

export function useTail(types: string) {
  const api = useApi()
  const [tail, step] = useReducer(stepped, emptyTail)
  const [error, setError] = useState<Error | null>(null)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` begins anew after an error.
  useEffect(() => {
    const left = new AbortController()
    let batch: Event[] = []
    setError(null)
    step({ is: 'cleared' })
    const timer = setInterval(() => {
      if (batch.length === 0) return
      step({ is: 'received', batch })
      batch = []
    }, gatherMs)
    const follow = async () => {
      const query = types === '' ? {} : { types: types.split(/[\s,]+/).filter((type) => type !== '') }
      for await (const event of api.events.stream(query, { signal: left.signal })) batch.push(event)
    }
    follow().catch((cause) => left.signal.aborted || setError(cause as Error))
    return () => {
      left.abort()
      clearInterval(timer)
    }
  }, [api, types, tries])
  return {
    tail,
    error,
    hold: () => step({ is: 'held' }),
    release: () => step({ is: 'released' }),
    clear: () => step({ is: 'cleared' }),
    retry: () => setTries(tries + 1),
  }
}
