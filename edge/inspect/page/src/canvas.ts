// Pictures on a canvas: place and size of a picture in a view that zooms and moves.

export interface Window {
  /** Pixels of the view for a texel. */
  readonly zoom: number;
  /** Where the picture's top left corner lies in the view. */
  readonly x: number;
  readonly y: number;
}

/** The whole picture in the middle of the view; small ones grow by whole factors, so that all texels are of one size. */
export function fit(width: number, height: number, wide: number, high: number): Window {
  const share = Math.min(wide / width, high / height) * 0.98;
  const zoom = share >= 1 ? Math.max(1, Math.floor(share)) : share;
  return { zoom, x: Math.round((wide - width * zoom) / 2), y: Math.round((high - height * zoom) / 2) };
}

/** Zooms about a place of the view, which stays on its texel. */
export function zoomed(window: Window, factor: number, x: number, y: number): Window {
  const zoom = Math.min(256, Math.max(1 / 64, window.zoom * factor));
  return { zoom, x: x - ((x - window.x) / window.zoom) * zoom, y: y - ((y - window.y) / window.zoom) * zoom };
}

/** The texel under a place of the view. */
export function texelAt(window: Window, x: number, y: number): [number, number] {
  return [Math.floor((x - window.x) / window.zoom), Math.floor((y - window.y) / window.zoom)];
}
