/** Follows the event stream. Events are batched: even hundreds per second cause at most four renders per second. */
import type { Event } from '@switchyard/sdk'
import { useEffect, useReducer, useState } from 'react'
import { useApi } from '../../../api/workspace.tsx'
import { addEvents, emptyTail, pause, resume, type Tail } from './tail-rows.ts'

type TailAction =
  | { readonly type: 'received'; readonly batch: readonly Event[] }
  | { readonly type: 'paused' | 'resumed' | 'cleared' }

function tailReducer(tail: Tail, action: TailAction): Tail {
  if (action.type === 'received') return addEvents(tail, action.batch)
  if (action.type === 'paused') return pause(tail)
  return action.type === 'resumed' ? resume(tail) : { ...emptyTail, isPaused: tail.isPaused }
}

const batchMs = 250

export function useTail(types: string) {
  const api = useApi()
  const [tail, dispatch] = useReducer(tailReducer, emptyTail)
  const [error, setError] = useState<Error | null>(null)
  const [retries, setRetries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `retries` restarts the stream after an error.
  useEffect(() => {
    const controller = new AbortController()
    let batch: Event[] = []
    setError(null)
    dispatch({ type: 'cleared' })
    const timer = setInterval(() => {
      if (batch.length === 0) return
      dispatch({ type: 'received', batch })
      batch = []
    }, batchMs)
    const readStream = async () => {
      const query = types === '' ? {} : { types: types.split(/[\s,]+/).filter((type) => type !== '') }
      for await (const event of api.events.stream(query, { signal: controller.signal })) batch.push(event)
    }
    readStream().catch((cause) => controller.signal.aborted || setError(cause as Error))
    return () => {
      controller.abort()
      clearInterval(timer)
    }
  }, [api, types, retries])
  return {
    tail,
    error,
    pauseTail: () => dispatch({ type: 'paused' }),
    resumeTail: () => dispatch({ type: 'resumed' }),
    clear: () => dispatch({ type: 'cleared' }),
    retry: () => setRetries(retries + 1),
  }
}
