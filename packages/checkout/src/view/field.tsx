/** A form field: label, hint, input and error message, linked for assistive technology. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import type { TextInput } from '../card/typing.ts'
import { translate } from '../translations.ts'

export type FieldFrameProps = {
  readonly name: string
  readonly label: string
  readonly hint?: string | null
  readonly error: string | null
  readonly isOptional?: boolean
}

type FieldProps = FieldFrameProps & {
  readonly value: string
  readonly onValueChange: (value: string) => void
  readonly onBlur: (event: FocusEvent) => void
}

type TextProps = FieldProps & {
  readonly input?: InputHTMLAttributes<HTMLInputElement>
  /** Formats the typed text, and returns the new caret position. */
  readonly format?: (typed: TextInput, wasDeleted: boolean) => TextInput
  /** A label at the end of the field, such as the card brand. */
  readonly suffix?: string | null
}

export function TextField({ input, format, suffix, value, onValueChange, onBlur, ...parts }: TextProps) {
  const handleInput = ({ currentTarget: element }: { currentTarget: HTMLInputElement }) => {
    if (format === undefined) return onValueChange(element.value)
    const caret = element.selectionStart ?? element.value.length
    const next = format({ text: element.value, caret }, element.value.length < value.length)
    // Set synchronously: browsers move the caret to the end if the value changes later.
    if (element.value !== next.text) element.value = next.text
    if (element.ownerDocument.activeElement === element) element.setSelectionRange(next.caret, next.caret)
    onValueChange(next.text)
  }
  return (
    <FieldFrame {...parts}>
      <span class="box">
        <input
          type="text"
          {...input}
          {...inputProps(parts)}
          required={parts.isOptional !== true}
          value={value}
          onInput={handleInput}
          onBlur={onBlur}
        />
        {suffix && <span class="mark">{suffix}</span>}
      </span>
    </FieldFrame>
  )
}

type SelectProps = FieldProps & {
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly autocomplete?: string
}

export function SelectField({ options, autocomplete, value, onValueChange, onBlur, ...parts }: SelectProps) {
  return (
    <FieldFrame {...parts}>
      <span class="box">
        <select
          {...inputProps(parts)}
          {...(autocomplete !== undefined && { autocomplete })}
          required={parts.isOptional !== true}
          value={value}
          onChange={({ currentTarget }) => onValueChange(currentTarget.value)}
          onBlur={onBlur}
        >
          <option value="">{translate('choose')}</option>
          {options.map((option) => (
            <option value={option.value}>{option.label}</option>
          ))}
        </select>
      </span>
    </FieldFrame>
  )
}

function FieldFrame({
  name,
  label,
  hint,
  error,
  isOptional,
  children,
}: FieldFrameProps & { children: ComponentChildren }) {
  return (
    <div class={error === null ? 'field' : 'field wrong'}>
      <label for={name}>
        {label}
        {isOptional === true && <small> ({translate('optional')})</small>}
      </label>
      {hint != null && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error !== null && (
        <p class="fault" id={`${name}-fault`}>
          {error}
        </p>
      )}
    </div>
  )
}

function inputProps({ name, hint, error }: FieldFrameProps) {
  const descriptionIds = [hint != null && `${name}-hint`, error !== null && `${name}-fault`].filter(Boolean)
  return {
    id: name,
    name,
    'aria-invalid': error !== null,
    ...(descriptionIds.length > 0 && { 'aria-describedby': descriptionIds.join(' ') }),
  }
}
