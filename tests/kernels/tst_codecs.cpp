// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for all codecs: files that change, random damage, rooms that are too small.
#include "tests/kernels/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lanewright {
namespace {

using namespace lanewright::test;

const ImageShape smallRgb{53, 37, rgb8};

TEST(Decode, AnotherShapeIsAChangedFile) {
    for (const Codec* codec : codecs()) {
        const auto file = encodedFile(*codec, pictureFrame(smallRgb));
        EXPECT_EQ(errorOf(tryDecode(file, {53, 36, rgb8})), "image.changed");
        EXPECT_EQ(errorOf(tryDecode(file, {53, 37, gray8})), "image.changed");
    }
}

TEST(Encode, TooLittleRoomIsAnOverflow) {
    const Frame frame = pictureFrame({100, 80, rgb8});
    for (const Codec* codec : codecs()) {
        const std::size_t size = encodedFile(*codec, frame).size();
        for (const std::size_t given : {std::size_t{0}, std::size_t{100}, size / 2, size - 1, size}) {
            std::vector<std::byte> room(given + 16, std::byte{0x5A});
            auto encoder = codec->openEncoder(frame.shape, {}, std::span(room).first(given));
            Status status = encoder ? (*encoder)->writeRows(frame.view(), {0, 80}) : Status(encoder.error());
            if (status) {
                const auto finished = (*encoder)->finish();
                if (!finished) status = finished.error();
            }
            EXPECT_EQ(errorOf(status), given < size ? "encode.overflow" : "") << codec->name << " " << given;
            for (std::size_t i = given; i < room.size(); ++i) ASSERT_EQ(room[i], std::byte{0x5A});
        }
    }
}

/// Random truncations and bit flips: whatever the file says, the answer is a picture or one of the known errors. What
/// the sanitizers add is that nothing is read or written out of bounds.
TEST(Decode, RandomDamageNeverCrashes) {
    PngOptions interlaced;
    interlaced.colourType = 3;
    interlaced.bitDepth = 4;
    interlaced.interlaced = true;
    interlaced.palette.assign(48, 100);
    interlaced.transparency = {0, 50, 100};
    std::vector<std::uint16_t> indices(40 * 30);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::uint16_t>(i * 7 % 16);
    JpegOptions progressive;
    progressive.progressive = true;
    progressive.exif = exifBlock(true, 6);
    progressive.icc.assign(300, std::byte{1});
    JpegOptions inks;
    inks.inks = true;
    inks.adobeMarker = true;
    const Frame frame = pictureFrame({48, 40, rgb8});
    const std::vector<std::vector<std::byte>> files = {
        encodedFile(*findCodec("jpeg"), frame),        jpegFile(frame, progressive),
        jpegFile(pictureFrame({24, 24, rgba8}), inks), encodedFile(*findCodec("png"), frame),
        pngFile(40, 30, interlaced, indices),
    };
    const std::set<std::string> known = {"image.empty",    "image.unknownFormat", "image.unsupported",
                                         "image.tooLarge", "image.truncated",     "image.damaged",
                                         "image.memory"};
    std::set<std::string> seen;
    Random random(7);
    for (int i = 0; i < 4000; ++i) {
        auto file = files[random.below(files.size())];
        if (random.below(3) == 0) file.resize(random.below(file.size()));
        for (std::uint32_t flips = random.below(4); flips > 0 && !file.empty(); --flips) {
            // Headers are short and matter most: half of the flips go there.
            const std::size_t reach = random.below(2) ? file.size() : std::min<std::size_t>(file.size(), 200);
            file[random.below(reach)] ^= static_cast<std::byte>(1 << random.below(8));
        }
        const auto probed = probeWhole(file);
        if (!probed) {
            ASSERT_TRUE(known.count(probed.error().id)) << probed.error().id;
            continue;
        }
        if (probed->shape.megapixels() > 1) continue;
        for (const auto policy : {DamagePolicy::fail, DamagePolicy::keep}) {
            const std::string error = errorOf(tryDecode(file, probed->shape, policy));
            ASSERT_TRUE(error.empty() || known.count(error)) << error;
            seen.insert(error);
        }
    }
    EXPECT_TRUE(seen.count("") && seen.count("image.truncated") && seen.count("image.damaged"));
}

}  // namespace
}  // namespace lanewright
