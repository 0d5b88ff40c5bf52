// What a picture shows: boxes, and arrows between them.

export type Box = {
  readonly id: string
  /** The first line is its name; the others say more. */
  readonly lines: readonly string[]
  readonly kind?: 'start' | 'end'
}

export type Arrow = {
  readonly from: string
  readonly to: string
  readonly lines?: readonly string[]
  /** It comes from time or from the world; nobody calls for it. */
  readonly isDashed?: boolean
}

export type Graph = {
  readonly title: string
  /** The same for those who cannot see it. */
  readonly description: string
  readonly direction: 'down' | 'right'
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
  readonly legend?: string
}
