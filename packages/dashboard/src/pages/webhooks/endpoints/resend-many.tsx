/** Resends selected deliveries, one request each with limited concurrency. Shows progress and can be stopped. */
import type { Delivery } from '@switchyard/sdk'
import { useEffect, useRef, useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { errorText } from '../../../ui/states.tsx'
import { runConcurrently } from './run-concurrently.ts'

type State = {
  readonly done: number
  readonly errors: readonly string[]
  readonly status: 'confirming' | 'running' | 'done'
}

export function ResendMany(props: {
  deliveries: readonly Pick<Delivery, 'id'>[]
  intro: string
  onClose: () => void
}) {
  const { deliveries, intro, onClose } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const running = useRef<AbortController>(null)
  const [state, setState] = useState<State>({ done: 0, errors: [], status: 'confirming' })
  useEffect(() => () => running.current?.abort(), [])
  const send = async () => {
    const controller = new AbortController()
    running.current = controller
    setState((before) => ({ ...before, status: 'running' }))
    const resend = async ({ id }: Pick<Delivery, 'id'>) => {
      const errors = await api.deliveries.resend(id, { signal: controller.signal }).then(
        () => [],
        (error) => (controller.signal.aborted ? [] : [errorText(error as Error)]),
      )
      setState((before) => ({ ...before, done: before.done + 1, errors: [...before.errors, ...errors] }))
    }
    await runConcurrently(deliveries, resend, controller.signal)
    setState((before) => ({ ...before, status: 'done' }))
    await invalidate('delivery', 'webhook_endpoint')
  }
  const deliveriesText = countText(deliveries.length, 'delivery', 'deliveries')
  const [first] = deliveries
  return (
    <Dialog title={`Resend ${deliveriesText}`} onClose={onClose} intro={intro}>
      {state.status !== 'confirming' && (
        <Progress label="Queued for sending" done={state.done} total={deliveries.length} />
      )}
      {state.status === 'done' && <p role="status">{summary(state, deliveries.length)}</p>}
      <div className="flex flex-wrap justify-end gap-2">
        {state.status === 'running' && (
          <Button onClick={() => running.current?.abort()}>Stop resending</Button>
        )}
        {state.status === 'confirming' && (
          <Button
            variant="primary"
            disabledReason={disabledReasonFor('deliveries.resend')}
            onClick={() => void send()}
          >
            Resend {deliveriesText}
          </Button>
        )}
        {state.status !== 'running' && (
          <Button onClick={onClose}>{state.status === 'done' ? 'Close' : 'Cancel'}</Button>
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

function summary({ done, errors }: State, total: number): string {
  const sent = `${done - errors.length} of ${total} queued for sending. Repeated deliveries carry the same event ID.`
  const [first] = errors
  return first === undefined
    ? sent
    : `${sent} ${countText(errors.length, 'delivery was', 'deliveries were')} rejected: ${first}`
}
