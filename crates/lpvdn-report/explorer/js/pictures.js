// Pictures on small canvases, pixel by pixel.
(() => {
  const { picture: shape } = lpvdn.manifest;

  function rgba(bytes, pixel) {
    const at = pixel * shape.channels;
    if (shape.channels >= 3) return [bytes[at], bytes[at + 1], bytes[at + 2], shape.channels > 3 ? bytes[at + 3] : 255];
    return [bytes[at], bytes[at], bytes[at], 255];
  }

  function paint(canvas, bytes) {
    const context = canvas.getContext('2d');
    const image = context.createImageData(shape.width, shape.height);
    for (let pixel = 0; pixel < shape.width * shape.height; pixel++) image.data.set(rgba(bytes, pixel), 4 * pixel);
    context.putImageData(image, 0, 0);
  }

  /** A canvas that shows the picture once `promise` brings its bytes. */
  function picture(promise, className) {
    const canvas = lpvdn.make('canvas', { class: `picture ${className}`, width: shape.width, height: shape.height });
    promise.then((bytes) => bytes && paint(canvas, bytes)).catch(lpvdn.fail);
    return canvas;
  }

  lpvdn.picture = picture;
})();
