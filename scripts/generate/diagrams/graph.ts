// The model of a diagram: boxes, and arrows between them.

export type Box = {
  readonly id: string
  /** The first line is the name; the others are details. */
  readonly lines: readonly string[]
  readonly kind?: 'start' | 'end'
}

export type Arrow = {
  readonly from: string
  readonly to: string
  readonly lines?: readonly string[]
  /** Triggered by time or an external system, not by an API call. */
  readonly isDashed?: boolean
}

export type Graph = {
  readonly title: string
  /** The text alternative for screen readers. */
  readonly description: string
  readonly direction: 'down' | 'right'
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
  readonly legend?: string
}
