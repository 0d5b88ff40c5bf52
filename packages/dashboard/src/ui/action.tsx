/**
 * A form that does one thing by one call of the API. It says what will happen, shows the call as code, sends it
 * once however often it is clicked, and puts what the server finds wrong beside the field that it is about.
 */
import { type Fault, SwitchyardError } from '@switchyard/sdk'
import { createContext, type ReactNode, useContext, useState } from 'react'
import type { ApiCall } from '../format/call.ts'
import { Button } from './button.tsx'
import { CodeCall } from './code.tsx'
import { Dialog } from './dialog.tsx'
import { sentenceOf } from './states.tsx'
import { useToast } from './toast.tsx'

const Faults = createContext<readonly Fault[]>([])

/** What is wrong with the field of this JSON pointer. */
export function useFault(pointer: string | undefined): string | null {
  const faults = useContext(Faults)
  return (pointer && faults.find((fault) => fault.pointer === pointer)?.detail) || null
}

/**
 * Whether it is certain that nothing happened, so that what is sent next is another request. What may pass, such as
 * "still running", says nothing about the first try: with another key it could have its effect twice.
 */
function isRefused(cause: unknown): boolean {
  if (!(cause instanceof SwitchyardError) || cause.status === null) return false
  return cause.status < 500 && !cause.retryable && cause.code !== 'idempotency_key_reused'
}

export type ActionFormProps = {
  /** The words on the button: what it does, with the amount if money moves. */
  submit: string
  danger?: boolean
  refused?: string | null
  call?: ApiCall | undefined
  /** Gets a key that stays the same until the form is left, so that a second click has no second effect. */
  run: (key: { idempotencyKey: string }) => Promise<unknown>
  done?: string
  onDone: () => void
  onCancel?: () => void
  children?: ReactNode
}

export function ActionForm(props: ActionFormProps) {
  const { submit, run, done, onDone, onCancel, call, refused = null } = props
  const toast = useToast()
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID() as string)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const send = async () => {
    if (isBusy || refused !== null) return
    setBusy(true)
    setError(null)
    try {
      await run({ idempotencyKey })
      if (done !== undefined) toast(done)
      onDone()
    } catch (cause) {
      setError(cause as Error)
      if (isRefused(cause)) setKey(crypto.randomUUID())
    } finally {
      setBusy(false)
    }
  }
  const faults = error instanceof SwitchyardError ? error.errors : []
  return (
    <Faults value={faults}>
      <form
        noValidate
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {props.children}
        {error !== null && (
          <p role="alert" className="rounded-control bg-danger-soft p-3 text-danger">
            {sentenceOf(error)}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
          <Button type="submit" look={props.danger ? 'danger' : 'primary'} isBusy={isBusy} refused={refused}>
            {isBusy ? 'Working…' : submit}
          </Button>
        </div>
        {call !== undefined && <CodeCall call={call} />}
      </form>
    </Faults>
  )
}

export function ActionDialog(props: ActionFormProps & { title: string; intro?: ReactNode; wide?: boolean }) {
  const { title, intro, wide = false, ...form } = props
  const close = form.onCancel ?? form.onDone
  return (
    <Dialog title={title} onClose={close} wide={wide} intro={intro}>
      <ActionForm {...form} onCancel={close} />
    </Dialog>
  )
}
