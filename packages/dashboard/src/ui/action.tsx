/**
 * A form for one API call. It describes the effect, shows the call as code, sends it only once per form, and shows
 * validation errors next to their fields.
 */
import { type Fault, SwitchyardError } from '@switchyard/sdk'
import { createContext, type ReactNode, useContext, useState } from 'react'
import type { ApiCall } from '../format/call.ts'
import { Button } from './button.tsx'
import { CodeCall } from './code.tsx'
import { Dialog } from './dialog.tsx'
import { errorText } from './states.tsx'
import { useToast } from './toast.tsx'

const Faults = createContext<readonly Fault[]>([])

/** The validation error of the field with this JSON pointer. */
export function useFault(pointer: string | undefined): string | null {
  const faults = useContext(Faults)
  return (pointer && faults.find((fault) => fault.pointer === pointer)?.detail) || null
}

/**
 * Whether the request certainly had no effect, so that the next submit may use a new idempotency key. After a retryable
 * error the outcome of the first request is unknown: a new key could execute it twice.
 */
function hadNoEffect(cause: unknown): boolean {
  if (!(cause instanceof SwitchyardError) || cause.status === null) return false
  return cause.status < 500 && !cause.retryable && cause.code !== 'idempotency_key_reused'
}

export type ActionFormProps = {
  /** The label of the submit button: verb and noun, with the amount if money moves. */
  submit: string
  danger?: boolean
  disabledReason?: string | null
  call?: ApiCall | undefined
  /** Receives an idempotency key that stays the same for the form, so that a second click has no second effect. */
  run: (key: { idempotencyKey: string }) => Promise<unknown>
  successMessage?: string
  /** The label of the button that closes the form without effect. It must not repeat a dangerous verb. */
  cancelLabel?: string
  onDone: () => void
  onCancel?: () => void
  children?: ReactNode
}

export function ActionForm(props: ActionFormProps) {
  const {
    submit,
    run,
    successMessage,
    onDone,
    onCancel,
    call,
    disabledReason = null,
    cancelLabel = 'Cancel',
  } = props
  const toast = useToast()
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID() as string)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const send = async () => {
    if (isBusy || disabledReason !== null) return
    setBusy(true)
    setError(null)
    try {
      await run({ idempotencyKey })
      if (successMessage !== undefined) toast(successMessage)
      onDone()
    } catch (cause) {
      setError(cause as Error)
      if (hadNoEffect(cause)) setKey(crypto.randomUUID())
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
            {errorText(error)}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {onCancel !== undefined && <Button onClick={onCancel}>{cancelLabel}</Button>}
          <Button
            type="submit"
            variant={props.danger ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabledReason={disabledReason}
          >
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
