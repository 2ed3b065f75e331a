/* Draws known colours in two windows with OpenGL, and asks the X server what they show. Without headers: tests need the libraries only.
 * With an argument it draws in the first window only, and swaps the other one, too, which has no picture. */
#include <stdio.h>
#include <stdlib.h>

typedef struct Display Display;
typedef unsigned long XID;
typedef struct Visual Visual;
typedef struct {
    Visual *visual;
    XID id;
    int screen, depth, class;
    unsigned long red, green, blue;
    int colours, bits;
} XVisualInfo;
typedef struct {
    XID background_pixmap;
    unsigned long background_pixel;
    XID border_pixmap;
    unsigned long border_pixel;
    int bit_gravity, win_gravity, backing_store;
    unsigned long backing_planes, backing_pixel;
    int save_under;
    long event_mask, do_not_propagate_mask;
    int override_redirect;
    XID colormap, cursor;
} XSetWindowAttributes;
typedef struct XImage XImage;

extern Display *XOpenDisplay(const char *);
extern XID XDefaultRootWindow(Display *);
extern XID XCreateColormap(Display *, XID, Visual *, int);
extern XID XCreateWindow(Display *, XID, int, int, unsigned, unsigned, unsigned, int, unsigned, Visual *, unsigned long,
                         XSetWindowAttributes *);
extern int XMapWindow(Display *, XID);
extern int XSync(Display *, int);
extern void *XSetErrorHandler(int (*)(Display *, void *));
extern XImage *XGetImage(Display *, XID, int, int, unsigned, unsigned, unsigned long, int);
extern XID XGetPixel(XImage *, int, int);
extern void *glXChooseFBConfig(Display *, int, const int *, int *);
extern XVisualInfo *glXGetVisualFromFBConfig(Display *, void *);
extern void *glXCreateNewContext(Display *, void *, int, void *, int);
extern int glXMakeCurrent(Display *, XID, void *);
extern void glXSwapBuffers(Display *, XID);
extern void glClearColor(float, float, float, float);
extern void glClear(unsigned);
extern void glEnable(unsigned);
extern void glDisable(unsigned);
extern void glScissor(int, int, int, int);

static Display *display;
static const int sizes[2][2] = {{120, 80}, {60, 50}};

static void fill(int red, int green, int blue) {
    glClearColor(red / 255.0f, green / 255.0f, blue / 255.0f, 1);
    glClear(0x4000 /* GL_COLOR_BUFFER_BIT */);
}

static void draw(int step, int window) {
    fill(step * 40, 64 * (window + 1), 96);
    glEnable(0x0c11 /* GL_SCISSOR_TEST */);
    glScissor(0, 0, 30, 10);
    fill(255, step * 20, 0);
    glDisable(0x0c11);
}

/* What the X server has at a place of a window. */
static void expect(XID window, int x, int y, unsigned long colour) {
    XImage *image = XGetImage(display, window, x, y, 1, 1, ~0ul, 2 /* ZPixmap */);
    unsigned long got = image ? XGetPixel(image, 0, 0) & 0xffffff : 0;
    if (got != colour) {
        fprintf(stderr, "the window has %06lx at %d, %d and not %06lx\n", got, x, y, colour);
        exit(1);
    }
}

/* GLX refuses to swap a window that was never drawn in, which Mesa's library asks it for. */
static int ignore(Display *of, void *error) {
    (void)of, (void)error;
    return 0;
}

int main(int count, char **arguments) {
    (void)arguments;
    /* GLX_DRAWABLE_TYPE: windows; GLX_DOUBLEBUFFER; 8 bits each of red, green, blue. */
    const int wanted[] = {0x8010, 0x1, 5, 1, 8, 8, 9, 8, 10, 8, 0};
    int found = 0;
    display = XOpenDisplay(NULL);
    void **configs = display ? glXChooseFBConfig(display, 0, wanted, &found) : NULL;
    XVisualInfo *visual = NULL;
    void *config = NULL;
    for (int at = 0; at < found && !visual; at++) {
        config = configs[at];
        visual = glXGetVisualFromFBConfig(display, config);
    }
    if (!visual) {
        fprintf(stderr, "no configuration\n");
        return 1;
    }
    XID root = XDefaultRootWindow(display), windows[2];
    XSetWindowAttributes attributes = {.colormap = XCreateColormap(display, root, visual->visual, 0)};
    for (int window = 0; window < 2; window++) {
        /* CWBackPixel | CWBorderPixel | CWColormap */
        windows[window] = XCreateWindow(display, root, window * 200, 0, sizes[window][0], sizes[window][1], 0, visual->depth, 1,
                                        visual->visual, 0x2 | 0x8 | 0x2000, &attributes);
        XMapWindow(display, windows[window]);
    }
    XSync(display, 0);
    void *context = glXCreateNewContext(display, config, 0x8014 /* GLX_RGBA_TYPE */, NULL, 1);
    int alone = count > 1;
    for (int step = 0; step < (alone ? 2 : 4); step++) {
        for (int window = 0; window <= (alone ? 0 : step % 2); window++) {
            if (!glXMakeCurrent(display, windows[window], context)) {
                return 1;
            }
            draw(step, window);
            glXSwapBuffers(display, windows[window]);
            XSync(display, 0);
            expect(windows[window], 5, sizes[window][1] - 5, 0xff0000 | step * 20 << 8);
            expect(windows[window], 5, 5, step * 40 << 16 | 64 * (window + 1) << 8 | 96);
        }
        if (alone) {
            XSetErrorHandler(ignore);
            glXSwapBuffers(display, windows[1]);
        }
    }
    puts("shown");
    return 0;
}
