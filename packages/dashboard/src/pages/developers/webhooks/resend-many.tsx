/** Sends chosen deliveries again, one call each and a few at a time, with progress and a way to stop. */
import type { Delivery } from '@switchyard/sdk'
import { useEffect, useRef, useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { counted } from '../../../format/words.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { sentenceOf } from '../../../ui/states.tsx'
import { inTurn } from './in-turn.ts'

type State = {
  readonly done: number
  readonly refused: readonly string[]
  readonly is: 'asked' | 'running' | 'over'
}

export function ResendMany(props: {
  deliveries: readonly Pick<Delivery, 'id'>[]
  why: string
  onClose: () => void
}) {
  const { deliveries, why, onClose } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const left = useRef<AbortController>(null)
  const [state, setState] = useState<State>({ done: 0, refused: [], is: 'asked' })
  useEffect(() => () => left.current?.abort(), [])
  const send = async () => {
    const stop = new AbortController()
    left.current = stop
    setState((before) => ({ ...before, is: 'running' }))
    const one = async ({ id }: Pick<Delivery, 'id'>) => {
      const refused = await api.deliveries.resend(id, { signal: stop.signal }).then(
        () => [],
        (error) => (stop.signal.aborted ? [] : [sentenceOf(error as Error)]),
      )
      setState(({ done, refused: before, is }) => ({ done: done + 1, refused: [...before, ...refused], is }))
    }
    await inTurn(deliveries, one, stop.signal)
    setState((before) => ({ ...before, is: 'over' }))
    await reread('delivery', 'webhook_endpoint')
  }
  const what = counted(deliveries.length, 'delivery', 'deliveries')
  const [first] = deliveries
  return (
    <Dialog title={`Resend ${what}`} onClose={onClose} intro={why}>
      {state.is !== 'asked' && <Progress label="Handed over" done={state.done} total={deliveries.length} />}
      {state.is === 'over' && <p role="status">{summary(state, deliveries.length)}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {state.is === 'running' && <Button onClick={() => left.current?.abort()}>Stop</Button>}
        {state.is === 'asked' && (
          <Button look="primary" refused={may('deliveries.resend')} onClick={() => void send()}>
            Resend {deliveries.length}
          </Button>
        )}
        {state.is !== 'running' && (
          <Button onClick={onClose}>{state.is === 'over' ? 'Close' : 'Cancel'}</Button>
        )}
      </div>
      {first !== undefined && (
        <CodeCall
          call={{
            method: 'POST',
            path: `/deliveries/${first.id}/resend`,
            sdk: { method: 'deliveries.resend', args: [first.id] },
          }}
        />
      )}
    </Dialog>
  )
}

function summary({ done, refused }: State, total: number): string {
  const sent = `${done - refused.length} of ${total} are on their way. Those that arrive twice carry the same event id.`
  const [first] = refused
  return first === undefined
    ? sent
    : `${sent} ${counted(refused.length, 'one was', 'were')} refused: ${first}`
}
