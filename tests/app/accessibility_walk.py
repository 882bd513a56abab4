#!/usr/bin/python3
"""Uses the real program as a screen reader does: by its accessibility tree alone (AT-SPI), without a key or a click.

    accessibility_walk.py PROGRAM STARTER_MODEL

It starts PROGRAM under a virtual screen with a session bus of its own, looks at every control of the window and of each
dialog that its menus and buttons open (name, role, actions), asks the starter model a question and reads the answer, and
listens to what is told while it arrives. Exit status 0: nothing is amiss; 77: a package is missing (cmake/packages.sh).
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

MARK = "HEADROOM_ACCESSIBILITY_BUS"  # set where the session bus is ours
WAIT_SECONDS = 40
QUESTION = "What is the KV cache?"
# What a user presses, fills in or moves. Those that Qt makes for itself are told apart below.
CONTROLS = {"push button", "toggle button", "check box", "radio button", "combo box", "text", "password text",
            "spin button", "slider", "list", "tree", "tree table", "table", "page tab", "menu item"}
PRESSED = {"push button", "toggle button", "check box", "radio button", "combo box", "page tab", "menu item"}
FILE_DIALOGS = {"Open model…", "Save a report…"}  # those are the desktop's
OTHER_ITEMS = {"Quit", "Close model", "Open the starter model", "Verify this plan…"}


def begin():
    """Under a virtual screen and a session bus of its own, which end with it."""
    for needed in ("Xvfb", "dbus-run-session"):
        if shutil.which(needed) is None:
            print(f"skipped: no {needed} (cmake/packages.sh)")
            return 77
    reader, writer = os.pipe()
    screen = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1700x1000x24"], pass_fds=[writer],
                              stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as told, tempfile.TemporaryDirectory() as folder:
        # No service of the desktop writes outside of it, nor finds the user's own bus.
        env = dict(os.environ, DISPLAY=":" + told.readline().strip(), XDG_RUNTIME_DIR=folder, HOME=folder,
                   HEADROOM_DATA_DIR=os.path.join(folder, "data"), QT_QPA_PLATFORM="xcb",
                   QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", LC_ALL="C.UTF-8", **{MARK: "1"})
        for name in ("DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        try:
            return subprocess.run(["dbus-run-session", "--", sys.executable, __file__, *sys.argv[1:]], env=env,
                                  check=False).returncode
        finally:
            screen.terminate()
            screen.wait()


if MARK not in os.environ:
    try:
        import gi
        gi.require_version("Atspi", "2.0")
    except (ImportError, ValueError):
        print("skipped: no python3-gi or gir1.2-atspi-2.0 (cmake/packages.sh)")
        sys.exit(77)
    sys.exit(begin())

import gi  # noqa: E402

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

warnings.simplefilter("ignore", DeprecationWarning)  # of interfaces by name: what stands in their place is newer


class Faults(list):
    def expect(self, holds, what):
        if not holds:
            print("FAULT:", what)
            self.append(what)
        return holds


faults = Faults()


def pump(seconds=0.05):
    """Lets events of the bus come in."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        while GLib.MainContext.default().iteration(False):
            pass
        time.sleep(0.005)


def wait_for(find, what):
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        try:
            if found := find():
                return found
        except GLib.Error:  # it went while we looked
            pass
        pump()
    raise SystemExit(f"FAULT: waited {WAIT_SECONDS} s in vain for {what}")


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield child


def all_below(node):
    yield node
    for child in children(node):
        yield from all_below(child)


def has(node, state):
    return node.get_state_set().contains(state)


def is_showing(node):
    return has(node, Atspi.StateType.SHOWING)


def actions(node):
    if node.get_action_iface() is None:
        return []
    return [Atspi.Action.get_action_name(node, i) for i in range(Atspi.Action.get_n_actions(node))]


def press(node):
    for index, name in enumerate(actions(node)):
        if name in ("Press", "Toggle"):
            return Atspi.Action.do_action(node, index)
    raise SystemExit(f"FAULT: {node.get_role_name()} {node.get_name()!r} cannot be pressed: {actions(node)}")


def find(root, role, name, showing=True):
    for node in all_below(root):
        if node.get_role_name() == role and node.get_name() == name and (is_showing(node) or not showing):
            return node
    return None


def is_labelled(node):
    return any(r.get_relation_type() == Atspi.RelationType.LABELLED_BY for r in node.get_relation_set())


def check_controls(root, where):
    """Each control that is shown: what it is called and what can be done with it. Says how many there are."""
    count = 0
    for node in all_below(root):
        role = node.get_role_name()
        if role not in CONTROLS or not is_showing(node):
            continue
        parent = node.get_parent()
        if parent.get_role_name() == "combo box":
            continue  # its list and its field are told with it
        count += 1
        what = f"{where}: {role} {node.get_name()!r} in {parent.get_role_name()} {parent.get_name()!r}"
        faults.expect(node.get_name() or is_labelled(node), f"{what} has no name")
        # Qt on Linux gives the chosen text as the name of a list to choose from: its label must be another one's.
        if role == "combo box" and has(node, Atspi.StateType.ENABLED):
            faults.expect(is_labelled(node) or node.get_description() or node.get_name(), f"{what} has no label")
        if role in PRESSED and has(node, Atspi.StateType.ENABLED):
            faults.expect(actions(node), f"{what} has no action")
        if role in ("text", "password text"):
            faults.expect(node.get_text_iface() is not None, f"{what} cannot be read")
        if role in ("spin button", "slider"):
            faults.expect(node.get_value_iface() is not None, f"{what} has no value")
    return count


def dialogs(app):
    return [node for node in children(app) if node.get_role_name() in ("dialog", "alert") and is_showing(node)]


def visit_dialog(app, window, opener, where):
    """Opens it by `opener`, looks at what is in it and closes it by its own button."""
    faults.expect(not dialogs(app), f"{where}: a dialog is open before it")
    press(opener)
    dialog = wait_for(lambda: next(iter(dialogs(app)), None), f"the dialog of {where}")
    faults.expect(dialog.get_name(), f"{where}: the dialog has no name")
    count = check_controls(dialog, where)
    faults.expect(count > 0, f"{where}: nothing is in it")
    pages = next((n for n in all_below(dialog) if n.get_name() == "Pages of settings"), None)
    for page in list(children(pages)) if pages else []:
        press(page)
        pump(0.2)
        count += check_controls(dialog, f"{where}, {page.get_name()}")
    closing = next((find(dialog, "push button", n) for n in ("Close", "Cancel") if find(dialog, "push button", n)), None)
    if faults.expect(closing is not None, f"{where}: no button closes it"):
        press(closing)
    wait_for(lambda: not dialogs(app), f"{where} to close")
    print(f"{where}: {count} controls")


def menu_items(window):
    bar = next(node for node in children(window) if node.get_role_name() == "menu bar")
    for node in all_below(bar):
        if node.get_role_name() == "menu item" and "Press" in actions(node):
            yield node


def ask(window, heard):
    """A question in the chat, by the field's and the button's own interfaces; the answer is read as text."""
    field = wait_for(lambda: find(window, "text", "Your message"), "the field of the message")
    wait_for(lambda: any(n.get_name().startswith("Loaded: ") for n in all_below(window)), "the model")
    faults.expect(field.get_editable_text_iface() is not None, "the message cannot be written")
    Atspi.EditableText.set_text_contents(field, QUESTION)
    send = wait_for(lambda: next((n for n in all_below(window) if n.get_name() == "Send" and actions(n)), None),
                    "a button that sends")
    press(send)
    wait_for(lambda: find(window, "push button", "Regenerate"), "the end of the answer")
    conversation = next(n for n in all_below(window) if n.get_name() == "Conversation" and is_showing(n))
    texts = [Atspi.Text.get_text(n, 0, -1) for n in all_below(conversation) if n.get_text_iface() is not None and is_showing(n)]
    faults.expect(any(QUESTION in text for text in texts), "the question cannot be read in the conversation")
    answer = max((text for text in texts if QUESTION not in text), key=len, default="")
    faults.expect(len(answer) > 20, f"the answer cannot be read: {texts}")
    pump(0.5)
    told = "".join(text for kind, text in heard if kind.startswith("object:text-changed:insert"))
    faults.expect(len(told) > 20, f"nothing of the answer was told while it came: {heard[:20]}")
    begun, ended = "The model is answering", "Ready for your message"
    states = [text for kind, text in heard if text in (begun, ended)]
    # A reader is told that a state has changed and asks what it is: of an answer that has ended by then it hears the end
    # alone. So it may need more than one.
    for _ in range(5):
        if states[-2:] == [begun, ended]:
            break
        press(find(window, "push button", "Regenerate"))
        pump(1)
        wait_for(lambda: find(window, "push button", "Regenerate"), "the end of another answer")
        pump(0.5)
        states = [text for kind, text in heard if text in (begun, ended)]
    faults.expect(states[-2:] == [begun, ended], f"nothing says that the answer has begun and ended: {states}")
    print(f"asked and answered: {answer[:60]!r}; {len(heard)} events")


def main(program, model):
    heard = []

    def hear(event):
        try:
            detail = event.any_data if isinstance(event.any_data, str) else ""
            if event.type.endswith("accessible-description"):  # Qt tells that it has changed, and not to what
                event.source.clear_cache()
                detail = event.source.get_description()
            heard.append((event.type, detail))
        except (GLib.Error, TypeError):
            pass

    listener = Atspi.EventListener.new(hear)
    for kind in ("object:text-changed", "object:announcement", "object:notification", "object:property-change",
                 "object:state-changed:showing"):
        listener.register(kind)
    running = subprocess.Popen([program, model], stderr=subprocess.DEVNULL)
    try:
        desktop = Atspi.get_desktop(0)
        app = wait_for(lambda: next((a for a in children(desktop) if a.get_name() == "headroom" and
                                     a.get_child_count() > 0), None), "the program on the bus")
        window = wait_for(lambda: next((n for n in children(app) if n.get_role_name() == "frame" and is_showing(n)), None),
                          "the window")
        load = wait_for(lambda: find(window, "push button", "Load"), "a button that loads")
        wait_for(lambda: has(load, Atspi.StateType.ENABLED), "the plan")
        press(load)
        ask(window, heard)
        print(f"window: {check_controls(window, 'window')} controls")
        press(next(n for n in menu_items(window) if n.get_name() == "Library"))
        wait_for(lambda: find(window, "push button", "Folders…"), "the library")
        # What is written brings the button that empties a field.
        Atspi.EditableText.set_text_contents(find(window, "text", "Search models"), "no such model")
        clear = wait_for(lambda: find(window, "push button", "Clear this field"), "the button that empties the search")
        print(f"library: {check_controls(window, 'library')} controls")
        press(clear)
        visit_dialog(app, window, find(window, "push button", "Folders…"), "Folders…")
        press(find(window, "push button", "Back to chat"))
        names = [n.get_name() for n in menu_items(window)]
        dialog_names = [n for n in names if (n.endswith("…") or n in ("About Headroom", "What the starter model is"))
                        and n not in FILE_DIALOGS | OTHER_ITEMS]
        faults.expect(len(dialog_names) >= 4, f"few dialogs in the menus: {names}")
        for name in dialog_names:
            visit_dialog(app, window, next(n for n in menu_items(window) if n.get_name() == name), name)
    finally:
        running.terminate()
        running.wait(timeout=20)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:3]))
