/** Form fields. Each has a visible label; its error is shown below it and announced with it. */
import { type ReactNode, useId } from 'react'
import { amountOf } from '../format/money.ts'
import { useFault } from './action.tsx'

const box =
  'w-full min-h-8 max-md:min-h-11 rounded-control border bg-surface px-2 text-body text-ink border-edge aria-invalid:border-danger-solid'

type FieldProps = {
  label: string
  hint?: ReactNode
  /** The JSON pointer of the field in the server's validation errors: `/amount`. */
  pointer?: string
  error?: string | null
  hideLabel?: boolean
}

function FieldFrame(
  props: FieldProps & {
    children: (ids: { id: string; descriptionId: string; isInvalid: boolean }) => ReactNode
  },
) {
  const { label, hint, pointer, hideLabel = false, children } = props
  const id = useId()
  const fault = useFault(pointer)
  const error = props.error ?? fault
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-bold'}>
        {label}
      </label>
      {children({ id, descriptionId: `${id}-text`, isInvalid: error !== null })}
      <div
        id={`${id}-text`}
        className={error === null ? 'text-compact text-ink2' : 'text-compact text-danger'}
      >
        {error ?? hint}
      </div>
    </div>
  )
}

export function TextField(
  props: FieldProps & {
    value: string
    onChange: (value: string) => void
    type?: 'text' | 'email' | 'password' | 'search' | 'date' | 'datetime-local' | 'number' | 'url'
    autoComplete?: string
    placeholder?: string
    mono?: boolean
    list?: readonly string[]
    autoFocus?: boolean
  },
) {
  const { value, onChange, type = 'text', mono = false, list } = props
  return (
    <FieldFrame {...props}>
      {({ id, descriptionId, isInvalid }) => (
        <>
          <input
            id={id}
            type={type}
            value={value}
            placeholder={props.placeholder}
            autoComplete={props.autoComplete ?? 'off'}
            // biome-ignore lint/a11y/noAutofocus: only the main field of a dialog or a page sets it.
            autoFocus={props.autoFocus}
            data-autofocus={props.autoFocus}
            list={list === undefined ? undefined : `${id}-list`}
            onChange={(event) => onChange(event.target.value)}
            aria-describedby={descriptionId}
            aria-invalid={isInvalid}
            className={`${box} ${mono ? 'font-mono' : ''}`}
          />
          {list !== undefined && (
            <datalist id={`${id}-list`}>
              {list.map((entry) => (
                <option key={entry} value={entry} />
              ))}
            </datalist>
          )}
        </>
      )}
    </FieldFrame>
  )
}

export function TextArea(
  props: FieldProps & { value: string; onChange: (value: string) => void; rows?: number; mono?: boolean },
) {
  return (
    <FieldFrame {...props}>
      {({ id, descriptionId, isInvalid }) => (
        <textarea
          id={id}
          rows={props.rows ?? 4}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
          aria-describedby={descriptionId}
          aria-invalid={isInvalid}
          className={`${box} py-1.5 ${props.mono ? 'font-mono text-compact' : ''}`}
        />
      )}
    </FieldFrame>
  )
}

export function FileField(props: FieldProps & { accept: string; onChange: (file: File | null) => void }) {
  return (
    <FieldFrame {...props}>
      {({ id, descriptionId, isInvalid }) => (
        <input
          id={id}
          type="file"
          accept={props.accept}
          onChange={(event) => props.onChange(event.target.files?.[0] ?? null)}
          aria-describedby={descriptionId}
          aria-invalid={isInvalid}
          className={`${box} py-1.5`}
        />
      )}
    </FieldFrame>
  )
}

export type Option = { readonly value: string; readonly text: string; readonly disabled?: boolean }

export function SelectField(
  props: FieldProps & { value: string; onChange: (value: string) => void; options: readonly Option[] },
) {
  return (
    <FieldFrame {...props}>
      {({ id, descriptionId, isInvalid }) => (
        <select
          id={id}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
          aria-describedby={descriptionId}
          aria-invalid={isInvalid}
          className={box}
        >
          {props.options.map(({ value, text, disabled = false }) => (
            <option key={value} value={value} disabled={disabled}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}

/** An amount field. `onChange` receives the text and the amount in minor units, or null if it is not valid. */
export function AmountField(
  props: FieldProps & {
    currency: string
    value: string
    onChange: (text: string, amount: number | null) => void
  },
) {
  const { currency, value, onChange } = props
  const isUnparsable = value !== '' && amountOf(value, currency) === null
  return (
    <FieldFrame
      {...props}
      error={props.error ?? (isUnparsable ? `Enter a valid amount in ${currency.toUpperCase()}.` : null)}
    >
      {({ id, descriptionId, isInvalid }) => (
        <div className="flex items-center gap-2">
          <input
            id={id}
            inputMode="decimal"
            value={value}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value, amountOf(event.target.value, currency))}
            aria-describedby={descriptionId}
            aria-invalid={isInvalid}
            className={`${box} text-right tabular-nums`}
          />
          <span className="font-bold">{currency.toUpperCase()}</span>
        </div>
      )}
    </FieldFrame>
  )
}

export function CheckField(props: {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  hint?: string
}) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-ink"
      />
      <label htmlFor={id} className="grid">
        <span>{props.label}</span>
        {props.hint !== undefined && <span className="text-compact text-ink2">{props.hint}</span>}
      </label>
    </div>
  )
}

export function RadioField(props: {
  legend: string
  value: string
  onChange: (value: string) => void
  options: readonly (Option & { hint?: string })[]
}) {
  const name = useId()
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-bold">{props.legend}</legend>
      {props.options.map(({ value, text, hint, disabled = false }) => (
        <label key={value} className="flex items-start gap-2">
          <input
            type="radio"
            name={name}
            value={value}
            disabled={disabled}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
            className="mt-0.5 size-4 shrink-0 accent-ink"
          />
          <span className="grid">
            <span>{text}</span>
            {hint !== undefined && <span className="text-compact text-ink2">{hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
